import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { bareRef, parseRef } from '../../../model/index.ts';
import { entityTarget, isModelService } from '../../components/entity/entity-target.ts';
import { Failure, Loading, Notice } from '../../components/states/notice.tsx';
import { entityQuery } from '../../queries.ts';
import { EntityView } from './entity-view.tsx';

/** Any entity by its reference: the stable address that other consoles link to. */
export function Page() {
  const { _splat = '' } = useParams({ strict: false });
  const ref = bareRef(_splat);
  const isReference = parseRef(ref) !== undefined;
  const { data, error, refetch } = useQuery({ ...entityQuery(ref), enabled: isReference });
  if (!isReference)
    return (
      <Notice
        state="unknown"
        title="This is not a reference"
        why="References read kind:cluster/namespace/name, with - for none: pod:prod-eu/inference/llama-0."
      />
    );
  if (data && isModelService(data)) return <Navigate {...entityTarget(data)} replace />;
  if (data) return <EntityView key={ref} entity={data} />;
  if (error) return <Failure error={error} what={ref} onRetry={() => void refetch()} />;
  return <Loading height={320} />;
}
