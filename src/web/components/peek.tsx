import { type ReactNode, useEffect, useRef } from 'react';
import styles from './peek.module.css';

interface Props {
  /** Names it for screen readers. */
  label: string;
  /** What is shown: when it changes the panel comes into sight, which it is not on a phone, where it stands above its list. */
  subject: string;
  children: ReactNode;
}

/** What was chosen in a list, beside the list (`layout.side`); it stays in sight while the list scrolls. */
export function Peek({ label, subject, children }: Props) {
  const aside = useRef<HTMLElement>(null);
  useEffect(() => {
    if (subject !== '') aside.current?.scrollIntoView({ block: 'nearest' });
  }, [subject]);
  return (
    <aside ref={aside} className={styles.peek} aria-label={label}>
      {children}
    </aside>
  );
}
