import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Loading, Notice } from '../../components/states/notice.tsx';
import { investigationQuery } from '../../queries.ts';
import { InvestigationView } from './investigation-view.tsx';

/** Why, since when, how sure, what first? */
export function Page() {
  const { id = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(investigationQuery(id));
  if (error)
    return (
      <Notice
        state="unknown"
        title="This investigation could not be loaded"
        why={error.message}
        fix={
          <>
            <button type="button" onClick={() => void refetch()}>
              Try again
            </button>{' '}
            or see <Link to="/investigations">all investigations</Link>
          </>
        }
      />
    );
  if (!data) return <Loading height={320} label="Loading the investigation" />;
  if (data.state === 'running')
    return (
      <>
        <Notice
          state="idle"
          title="Looking …"
          why="Symptom and onset first, then each layer down from the service. This usually takes a second or two; the page fills by itself."
        />
        <Loading height={160} label="Investigating" />
      </>
    );
  if (data.state === 'failed')
    return (
      <Notice
        state="critical"
        title="The investigation failed"
        why={data.message}
        fix={<Link to="/telemetry">Is all telemetry arriving?</Link>}
      />
    );
  return <InvestigationView investigation={data} />;
}
