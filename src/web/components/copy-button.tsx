import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <Tooltip label={isCopied ? 'Copied' : label} openDelay={300}>
      <ActionIcon
        variant="subtle"
        size={24}
        aria-label={label}
        onClick={(event) => {
          event.preventDefault();
          void copyText(text).then(setCopied);
        }}
      >
        {isCopied ? <IconCheck size={14} /> : <IconCopy size={14} stroke={1.5} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** The clipboard is there on loopback and HTTPS only; elsewhere the text is selected by the old command. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return true;
  }
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}
