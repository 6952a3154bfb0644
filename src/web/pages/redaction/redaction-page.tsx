import { useQuery } from '@tanstack/react-query';
import type { RedactionResponse } from '../../../api/contract/index.ts';
import layout from '../../components/layout.module.css';
import { type KeyNumber, Numbers } from '../../components/numbers.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import type { State } from '../../components/state.ts';
import { Failure, LoadingRows } from '../../components/states/notice.tsx';
import { TelemetryTabs } from '../../components/telemetry/telemetry-tabs.tsx';
import { ABSENT, counted, formatValue } from '../../format/index.ts';
import { redactionQuery } from '../../queries.ts';
import { RuleList } from './rule-list.tsx';
import { TestBox } from './test-box.tsx';

/** What is hidden before anything is written? */
export function Page() {
  const { data, error, refetch } = useQuery(redactionQuery());
  const { state, words } = data ? answerOf(data) : { state: 'unknown' as const, words: 'Reading the rules …' };
  if (error && !data) return <Failure error={error} what="Redaction" onRetry={() => void refetch()} />;
  return (
    <>
      <PageHead state={state} answer={[words]} numbers={<Numbers items={numbersOf(data)} />} />
      <TelemetryTabs page="/telemetry/redaction" />
      <div className={layout.stack}>
        <TestBox />
        <Panel title="Rules" note="applied before anything is written to disk" flush>
          {data ? <RuleList rules={data.rules} /> : <LoadingRows rows={10} />}
        </Panel>
      </div>
    </>
  );
}

function answerOf({ rules, prompts }: RedactionResponse): { state: State; words: string } {
  const on = rules.filter((rule) => rule.on);
  const off = rules.filter((rule) => !rule.on).map((rule) => rule.name);
  const kept = prompts === 'mask' ? '' : ' Prompts and completions are kept as they are.';
  if (off.length === 0 && kept === '')
    return { state: 'ok', words: `All ${rules.length} rules hide secrets before anything is written.` };
  const those = off.length === 0 ? '' : `; off: ${off.join(', ')}`;
  return {
    state: 'idle',
    words: `${on.length} of ${counted(rules.length, 'rule')} hide secrets before anything is written${those}.${kept}`,
  };
}

function numbersOf(data: RedactionResponse | undefined): KeyNumber[] {
  const hidden = data?.rules.reduce((sum, rule) => sum + rule.count, 0);
  const own = data?.rules.filter((rule) => rule.source === 'user').length;
  const most = data?.rules.reduce<RedactionResponse['rules'][number] | undefined>(
    (best, rule) => (rule.count > (best?.count ?? 0) ? rule : best),
    undefined,
  );
  return [
    {
      text: formatValue(hidden, ''),
      label: 'texts in which something was hidden',
      against: most ? `most by ${most.name}, since the server started` : 'since the server started',
    },
    {
      text: data ? `${data.rules.filter((rule) => rule.on).length} / ${data.rules.length}` : ABSENT,
      label: 'rules on',
      against: own === undefined ? undefined : own === 0 ? 'all built in' : `${own} of your own`,
    },
    {
      text: data ? (data.prompts === 'mask' ? 'masked' : 'kept') : ABSENT,
      label: 'prompts and completions',
      against: 'redaction.prompts',
    },
  ];
}
