import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { formatRef } from '../../../model/index.ts';
import layout from '../../components/layout.module.css';
import { Failure, Loading } from '../../components/states/notice.tsx';
import { entityQuery } from '../../queries.ts';
import { ModelView } from './model-view.tsx';

/** Is this model service well; if not, which phase and which replicas? */
export function Page() {
  const { cluster = '', namespace = '', name = '' } = useParams({ strict: false });
  const ref = formatRef('workload', cluster, namespace === '-' ? '' : namespace, name);
  const { data, error, refetch } = useQuery(entityQuery(ref));
  if (data) return <ModelView key={ref} entity={data} />;
  if (error)
    return (
      <>
        <h1 className={layout.clip}>{name}</h1>
        <Failure error={error} what="This model service" onRetry={() => void refetch()} />
      </>
    );
  return <Loading height={320} />;
}
