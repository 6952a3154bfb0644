/** What exit codes of containers usually mean (signals.h: 128 + signal number; shells: 126 and 127). */
const MEANINGS: Readonly<Record<number, string>> = {
  0: 'finished, although it should keep running',
  1: 'application error',
  2: 'bad arguments',
  126: 'command is not executable',
  127: 'command not found',
  128: 'the runtime could not start it',
  130: 'interrupted',
  132: 'illegal instruction',
  134: 'aborted',
  135: 'bus error, often /dev/shm or a broken volume',
  137: 'killed',
  139: 'segmentation fault',
  143: 'terminated on request',
  255: 'unknown, often a restart of the node',
};

/** `exit code 137 (OOMKilled: memory limit reached)`. `reason` is Kubernetes' own word for it. */
export function exitWords(exitCode: number, reason: string): string {
  if (reason === 'OOMKilled') return `exit code ${exitCode} (OOMKilled: memory limit reached)`;
  const said = reason === '' || reason === 'Error' || reason === 'Completed' ? MEANINGS[exitCode] : reason;
  return `exit code ${exitCode}${said === undefined ? '' : ` (${said})`}`;
}
