import { splitForMiddleCut } from '../format/index.ts';
import styles from './middle-cut.module.css';

/** A name that gives way in its middle when space is short. Selecting and copying always give the whole name. */
export function MiddleCut({ text }: { text: string }) {
  const { head, tail } = splitForMiddleCut(text);
  return (
    <span className={styles.cut} title={text}>
      {head !== '' && <span className={styles.head}>{head}</span>}
      <span className={styles.tail}>{tail}</span>
    </span>
  );
}
