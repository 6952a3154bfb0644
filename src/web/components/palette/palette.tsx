import '@mantine/core/styles/ScrollArea.css';
import '@mantine/spotlight/styles.css';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { IconClock, IconKeyboard, IconRefresh, IconRoute, IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useLive, usePageSearch, useSetSearch } from '../../page.ts';
import { entitiesQuery } from '../../queries.ts';
import { QUICK_RANGES } from '../../range.ts';
import { entityName } from '../entity/entity-chip.tsx';
import { entityTarget, KIND_WORD } from '../entity/entity-target.ts';
import { KindIcon } from '../entity/kind-icon.tsx';
import { NAVIGATION, SUBPAGES } from '../shell/navigation.ts';
import { isTrouble, stateOfHealth } from '../state.ts';
import { StateMark } from '../state-mark.tsx';
import { rankMatches } from './rank-matches.ts';
import './palette.css';

const [store, palette] = createSpotlight();

/** Entities, pages, trace ids and actions in one list, by name. */
export default function Palette({ onClose, onKeys }: { onClose: () => void; onKeys: () => void }) {
  const [query, setQuery] = useState('');
  const text = query.trim();
  const entries = usePaletteEntries(text, onKeys);
  const found = entries.flatMap((group) => group.items.map((item) => item.id)).join();
  useEffect(() => {
    if (found !== '') requestAnimationFrame(selectFirst);
  }, [found]);
  useEffect(() => {
    palette.open();
    return palette.close;
  }, []);
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      maxHeight={420}
      size={640}
      yOffset={96}
      onSpotlightClose={onClose}
      transitionProps={{ duration: 0 }}
      overlayProps={{ blur: 0, backgroundOpacity: 0.3, color: '#0c0e12' }}
    >
      <Spotlight.Search placeholder="Find an entity, a page, a trace id …" aria-label="Find" />
      <Spotlight.ActionsList>
        {entries.map((group) =>
          group.items.length === 0 ? null : (
            <Spotlight.ActionsGroup key={group.label} label={group.label}>
              {group.items.map((item) => (
                <Spotlight.Action
                  key={item.id}
                  label={item.label}
                  description={item.description ?? ''}
                  leftSection={item.icon}
                  rightSection={item.right}
                  onClick={item.run}
                />
              ))}
            </Spotlight.ActionsGroup>
          ),
        )}
        {entries.every((group) => group.items.length === 0) ? (
          <Spotlight.Empty>Nothing by this name in any cluster and kind.</Spotlight.Empty>
        ) : null}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** The best match is what Enter takes, also when it arrived after the last key. Spotlight itself selects only as one types. */
function selectFirst() {
  const actions = document.querySelectorAll('.mantine-Spotlight-actionsList [data-action]');
  for (const action of actions) action.removeAttribute('data-selected');
  actions[0]?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
}

interface Entry {
  id: string;
  label: string;
  description?: string;
  icon: React.ReactNode;
  right?: React.ReactNode;
  run: () => void;
}

function usePaletteEntries(text: string, onKeys: () => void): { label: string; items: Entry[] }[] {
  const navigate = useNavigate();
  const setSearch = useSetSearch();
  const live = useLive();
  const { tz } = usePageSearch();
  const { data } = useQuery({ ...entitiesQuery({ q: text, limit: 100 }), enabled: text.length >= 2 });
  const matches = (label: string) => label.toLowerCase().includes(text.toLowerCase());

  const entities = rankMatches(text.length >= 2 ? (data?.items ?? []) : [], text).map((entity): Entry => {
    const state = stateOfHealth(entity.health.status);
    return {
      id: entity.ref,
      label: entityName(entity.ref),
      description: `${KIND_WORD[entity.kind]} in ${[entity.cluster, entity.namespace].filter(Boolean).join(' / ')}`,
      icon: <KindIcon kind={entity.kind} size={16} />,
      right: isTrouble(state) ? <StateMark state={state} /> : undefined,
      run: () => void navigate(entityTarget(entity)),
    };
  });
  const pages = NAVIGATION.filter(({ label, group }) => matches(`${group ?? ''} ${label}`)).map(
    (page): Entry => ({
      id: page.to,
      label: page.group ? `${page.group}: ${page.label}` : page.label,
      icon: <page.icon size={16} stroke={1.5} />,
      right: <span className="palette-keys">g {page.key}</span>,
      run: () => void navigate({ to: page.to }),
    }),
  );
  const subpages = SUBPAGES.filter(({ label, parent }) => matches(`${parent}: ${label}`)).map(
    (page): Entry => ({
      id: page.to,
      label: `${page.parent}: ${page.label}`,
      icon: <page.icon size={16} stroke={1.5} />,
      run: () => void navigate({ to: page.to }),
    }),
  );
  const trace = /^[0-9a-f]{32}$/i.test(text)
    ? [
        {
          id: 'trace',
          label: `Trace ${text}`,
          icon: <IconRoute size={16} />,
          run: () => void navigate({ to: '/traces/$id', params: { id: text.toLowerCase() } }),
        },
      ]
    : [];
  const actions: Entry[] = [
    ...QUICK_RANGES.map((range) => ({
      id: range.from,
      label: `Time: ${range.label.toLowerCase()}`,
      icon: <IconClock size={16} stroke={1.5} />,
      run: () => setSearch({ from: range.from, to: undefined }),
    })),
    {
      id: 'tz',
      label: tz === 'utc' ? 'Times in my zone' : 'Times in UTC',
      icon: <IconWorld size={16} stroke={1.5} />,
      run: () => setSearch({ tz: tz === 'utc' ? undefined : 'utc' }),
    },
    { id: 'refresh', label: 'Refresh now', icon: <IconRefresh size={16} stroke={1.5} />, run: live.refresh },
    {
      id: 'keys',
      label: 'Keyboard help',
      icon: <IconKeyboard size={16} stroke={1.5} />,
      run: () => setTimeout(onKeys),
    },
  ].filter(({ label }) => text !== '' && matches(label));
  return [
    { label: 'Traces', items: trace },
    { label: 'Entities', items: entities },
    { label: 'Pages', items: [...pages, ...subpages] },
    { label: 'Actions', items: actions.slice(0, 6) },
  ];
}
