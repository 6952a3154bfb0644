import { Link } from '@tanstack/react-router';
import { cx } from '../class-names.ts';
import tabs from '../tabs.module.css';

const PAGES = [
  { to: '/telemetry', label: 'Sources and drops' },
  { to: '/telemetry/cardinality', label: 'Cardinality' },
  { to: '/telemetry/redaction', label: 'Redaction' },
] as const;

/** The pages about the telemetry itself; each has its own address. */
export function TelemetryTabs({ page }: { page: (typeof PAGES)[number]['to'] }) {
  return (
    <nav className={tabs.tabs} aria-label="About the telemetry">
      {PAGES.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          className={cx(tabs.tab, to === page && tabs.chosen)}
          activeProps={{}}
          aria-current={to === page ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
