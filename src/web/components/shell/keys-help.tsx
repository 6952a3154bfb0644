import { Kbd, Modal } from '@mantine/core';
import { KEYS } from './keys.ts';
import styles from './keys-help.module.css';
import { NAVIGATION } from './navigation.ts';

export default function KeysHelp({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard" size={560}>
      <div className={styles.columns}>
        <KeyList items={KEYS} />
        <KeyList items={NAVIGATION.map(({ key, label }) => ({ keys: `g ${key}`, does: label }))} />
      </div>
    </Modal>
  );
}

function KeyList({ items }: { items: readonly { keys: string; does: string }[] }) {
  return (
    <dl className={styles.list}>
      {items.map(({ keys, does }) => (
        <div key={keys} className={styles.item}>
          <dt>
            <Kbd>{keys}</Kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
