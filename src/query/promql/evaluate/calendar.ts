const DAY_MS = 86_400_000;

/** Parts of a date in UTC, from seconds since the epoch. */
export const CALENDAR = {
  minute: part((date) => date.getUTCMinutes()),
  hour: part((date) => date.getUTCHours()),
  day_of_week: part((date) => date.getUTCDay()),
  day_of_month: part((date) => date.getUTCDate()),
  day_of_year: part((date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS) + 1),
  days_in_month: part((date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()),
  month: part((date) => date.getUTCMonth() + 1),
  year: part((date) => date.getUTCFullYear()),
} as const;

function part(of: (date: Date) => number): (seconds: number) => number {
  return (seconds) => of(new Date(Math.trunc(seconds) * 1000));
}
