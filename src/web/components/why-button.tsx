import { Button, Popover } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { bareRef } from '../../model/index.ts';
import { postJson } from '../client.ts';
import { useRange } from '../page.ts';
import type { InvestigationAnswer } from '../queries.ts';
import { Failure } from './states/notice.tsx';

interface Props {
  /** The entity that hurts. */
  subject: string;
  /** The one primary action of a page is filled; elsewhere the button stays quiet. */
  isPrimary?: boolean;
  label?: string;
}

/** Opens an investigation of an entity over the page's range. */
export function WhyButton({ subject, isPrimary, label = 'Why?' }: Props) {
  const range = useRange();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const stop = useRef<AbortController>(undefined);
  const ask = useMutation({
    mutationFn: () => {
      stop.current = new AbortController();
      const body = { subject: bareRef(subject), from: iso(range.from), to: iso(range.to) };
      return postJson<InvestigationAnswer>('/api/investigations', body, stop.current.signal);
    },
    onSuccess: (answer) => {
      queries.setQueryData(['investigation', { id: answer.id }], answer);
      void queries.invalidateQueries({ queryKey: ['investigations'] });
      void navigate({ to: '/investigations/$id', params: { id: answer.id } });
    },
  });
  const seconds = useElapsed(ask.isPending);
  const isCancelled = ask.error?.name === 'AbortError';
  useEffect(() => () => stop.current?.abort(), []);
  return (
    <Popover
      opened={ask.isError && !isCancelled}
      onChange={(open) => !open && ask.reset()}
      position="bottom-end"
      width={320}
      trapFocus={false}
    >
      <Popover.Target>
        <Button
          size="compact-sm"
          h={isPrimary ? 32 : 24}
          px={isPrimary ? 16 : 10}
          variant={isPrimary ? 'filled' : 'default'}
          onClick={(event) => {
            event.stopPropagation();
            if (ask.isPending) stop.current?.abort();
            else ask.mutate();
          }}
          aria-label={ask.isPending ? 'Stop the investigation' : `${label} Investigate ${subject}`}
        >
          {ask.isPending ? `Looking … ${seconds} s` : label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={0}>
        {ask.error ? <Failure error={ask.error} what="The investigation" onRetry={() => ask.mutate()} /> : null}
      </Popover.Dropdown>
    </Popover>
  );
}

function useElapsed(isRunning: boolean): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    setSeconds(0);
    if (!isRunning) return;
    const timer = setInterval(() => setSeconds((s) => s + 1), 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return seconds;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
