import { readFileSync } from 'node:fs';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { MAY_IMPORT } from './table.ts';

export interface ImportReport {
  modules: number;
  violations: string[];
}

/** Reads every import below `folder` (type-only ones included) and says which ones the table or the door rule forbids. */
export async function checkImports(folder: string): Promise<ImportReport> {
  const { output } = await cruise(
    ['src'],
    {
      baseDir: folder,
      doNotFollow: { path: 'node_modules' },
      tsPreCompilationDeps: true,
      ruleSet: { forbidden: [{ name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } }] },
      validate: true,
    },
    {},
  );
  const result = output as ICruiseResult; // no outputType was asked for, so the result is the object itself
  const modules = result.modules.filter((module) => module.source.startsWith('src/'));
  const edges = modules.flatMap((module) =>
    module.dependencies
      .filter((to) => to.resolved.startsWith('src/'))
      .map((to) => ({ from: module.source, to: to.resolved })),
  );
  const cycles = result.summary.violations.map(
    (violation) => `cycle: ${[violation.from, ...(violation.cycle ?? []).map((step) => step.name)].join(' → ')}`,
  );
  const folders = doorFolders(
    folder,
    modules.map((module) => module.source),
  );
  const forbidden = edges.flatMap((edge) => [
    ...tableViolation(edge),
    ...doorViolation(edge, folders),
    ...webViolation(edge),
  ]);
  const outside = [...clientViolations(result), ...pureViolations(result)];
  return { modules: modules.length, violations: [...new Set([...forbidden, ...cycles, ...outside])].sort() };
}

interface Edge {
  from: string;
  to: string;
}

/** The folder of the table that a file belongs to: `src/api/contract/x.ts` is `api/contract`, `src/api/y.ts` is `api`. */
function areaOf(file: string): string {
  return file.startsWith('src/api/contract/') ? 'api/contract' : (file.split('/')[1] ?? '');
}

function tableViolation({ from, to }: Edge): string[] {
  const [area, target] = [areaOf(from), areaOf(to)];
  if (area === target || MAY_IMPORT[area]?.includes(target)) return [];
  return [`${area} may not import ${target}: ${from} → ${to}`];
}

/** A folder with an index.ts is entered through it, by every file that is not inside the folder itself. */
function doorViolation({ from, to }: Edge, doors: ReadonlySet<string>): string[] {
  const parts = to.split('/');
  for (let depth = 2; depth < parts.length; depth++) {
    const folder = parts.slice(0, depth).join('/');
    if (!doors.has(folder) || from.startsWith(`${folder}/`)) continue;
    const innerDoor = parts.at(-1) === 'index.ts' && SEPARATE_DOORS.has(parts.slice(0, -1).join('/'));
    if (to !== `${folder}/index.ts` && !innerDoor)
      return [`side door: ${from} → ${to} (go through ${folder}/index.ts)`];
  }
  return [];
}

/** Folders inside another that are a front door of their own, as the table names them. */
const SEPARATE_DOORS = new Set(['src/base/node', 'src/api/contract']);

function webViolation({ from, to }: Edge): string[] {
  return areaOf(from) === 'web' && to.startsWith('src/base/node/')
    ? [`base/node is closed to web: ${from} → ${to}`]
    : [];
}

function doorFolders(folder: string, files: readonly string[]): Set<string> {
  const doors = files.filter((file) => file.endsWith('/index.ts')).map((file) => file.slice(0, -'/index.ts'.length));
  return new Set(doors.filter((door) => readFileSync(`${folder}/${door}/index.ts`, 'utf8').trim() !== ''));
}

/** Who may load which database client. */
const CLIENTS: readonly { name: RegExp; home: string }[] = [
  { name: /(^|\/)chdb(\/|$)/, home: 'src/store/engine/' },
  { name: /(^|\/)@clickhouse\/client(\/|$)/, home: 'src/store/clickhouse/' },
  { name: /(^|\/)@electric-sql\/pglite(\/|$)/, home: 'src/store/records/' },
];

function clientViolations(result: ICruiseResult): string[] {
  return result.modules
    .filter((module) => module.source.startsWith('src/'))
    .flatMap((module) =>
      module.dependencies.flatMap((to) =>
        CLIENTS.filter((client) => client.name.test(to.resolved) && !module.source.startsWith(client.home)).map(
          (client) => `only ${client.home} may load ${to.module}: ${module.source}`,
        ),
      ),
    );
}

/** Folders that do no I/O: they import nothing of Node. */
const PURE = /^src\/(model|understand|api\/contract|base\/(?!node\/))/;

function pureViolations(result: ICruiseResult): string[] {
  return result.modules
    .filter((module) => PURE.test(module.source) && !module.source.endsWith('.test.ts'))
    .flatMap((module) =>
      module.dependencies
        .filter((to) => to.coreModule)
        .map((to) => `${areaOf(module.source)} does no I/O and may not import ${to.module}: ${module.source}`),
    );
}
