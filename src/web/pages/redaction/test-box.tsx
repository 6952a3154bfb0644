import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Panel } from '../../components/panel.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { Failure } from '../../components/states/notice.tsx';
import { counted, listed } from '../../format/index.ts';
import { testRedaction } from '../../queries.ts';
import { highlightMarks } from './highlight-marks.ts';
import styles from './redaction.module.css';

const MOST = 64 * 1024;

/** Shows what the rules make of a text. The server neither stores, counts nor logs it. */
export function TestBox() {
  const [text, setText] = useState('');
  const test = useMutation({ mutationFn: async (sent: string) => ({ sent, answer: await testRedaction(sent) }) });
  const isTooLong = text.length > MOST;
  return (
    <Panel title="Try it" note="nothing of this is stored, counted or logged">
      <div className={styles.box}>
        <form
          className={styles.side}
          onSubmit={(event) => {
            event.preventDefault();
            if (text !== '' && !isTooLong) test.mutate(text);
            else event.currentTarget.querySelector('textarea')?.focus();
          }}
        >
          <label htmlFor="redaction-text">A text, as a log line or an attribute would have it</label>
          <textarea
            id="redaction-text"
            className={styles.text}
            value={text}
            rows={5}
            spellCheck={false}
            autoComplete="off"
            placeholder="user=ada@example.org Authorization: Bearer eyJhbGciOi…"
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
          <div className={styles.foot}>
            <span className={isTooLong ? styles.problem : styles.hint} role={isTooLong ? 'alert' : undefined}>
              {isTooLong ? 'At most 65 536 characters are tested.' : 'Ctrl-Enter tests'}
            </span>
            <Button type="submit" h={28} size="compact-sm" loading={test.isPending} loaderProps={{ size: 14 }}>
              Test
            </Button>
          </div>
        </form>
        <div className={styles.side}>
          <span>What would be written</span>
          <output className={styles.result} htmlFor="redaction-text">
            {test.data === undefined ? (
              <span className={styles.hint}>Nothing was tested yet.</span>
            ) : (
              highlightMarks(test.data.sent, test.data.answer).map((stretch, i) =>
                stretch.rule === undefined ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: stretches of one text keep their places
                  <span key={i}>{stretch.text}</span>
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: stretches of one text keep their places
                  <mark key={i} className={styles.mark} title={`${stretch.rule} hides: ${stretch.hidden}`}>
                    {stretch.text}
                  </mark>
                ),
              )
            )}
          </output>
          {test.error ? <Failure error={test.error} what="The test" /> : null}
          {test.data === undefined ? null : <Summary rules={test.data.answer.matches.map((match) => match.rule)} />}
        </div>
      </div>
    </Panel>
  );
}

function Summary({ rules }: { rules: readonly string[] }) {
  if (rules.length === 0)
    return (
      <span className={styles.hint}>
        <StateMark state="idle" /> No rule finds anything in it: it would be written as it is.
      </span>
    );
  return (
    <span className={styles.hint}>
      <StateMark state="ok" /> {counted(rules.length, 'place')} hidden by {listed([...new Set(rules)])}.
    </span>
  );
}
