import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Notice } from './notice.tsx';

export function NotFound() {
  return (
    <Notice
      state="unknown"
      title="There is no page at this address"
      why="It may belong to a newer version, or be mistyped."
      fix={<Link to="/">To the overview</Link>}
    />
  );
}

/** A page that failed while it was drawn. The shell around it keeps working. */
export function PageCrash({ error, reset }: ErrorComponentProps) {
  return (
    <Notice
      state="critical"
      title="This page failed"
      why={error instanceof Error ? error.message : String(error)}
      fix={
        <button type="button" onClick={reset}>
          Draw it again
        </button>
      }
    />
  );
}
