import { CloseButton, Kbd, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { usePageSearch, useSetSearch } from '../page.ts';

const SETTLE_MS = 150;

/** Filters the page's list; `/` comes here. Typing writes the address without making history. */
export function FilterInput({ placeholder }: { placeholder: string }) {
  const { q } = usePageSearch();
  const setSearch = useSetSearch();
  const [text, setText] = useState(q ?? '');
  useEffect(() => setText(q ?? ''), [q]);
  useEffect(() => {
    if (text === (q ?? '')) return;
    const timer = setTimeout(() => setSearch({ q: text || undefined }, 'replace'), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text, q, setSearch]);
  return (
    <TextInput
      size="xs"
      w={240}
      maw="100%"
      data-filter=""
      aria-label={placeholder}
      placeholder={placeholder}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          setText('');
          event.currentTarget.blur();
        }
      }}
      rightSection={
        text === '' ? (
          <Kbd size="xs">/</Kbd>
        ) : (
          <CloseButton size="xs" aria-label="Clear the filter" onClick={() => setText('')} />
        )
      }
    />
  );
}
