import { type ApiObject, isRecord, records } from './api-object.ts';

/** Times inside objects are whole seconds: one this close before the arrival says no more than the arrival does. */
const RESOLUTION_MS = 2_000;

/**
 * Since when a version holds. Of the first one seen: since the object was made, but no longer back than `oldestMs`, since
 * the store takes no older ones. Of a later one: since the newest time in it that lies after `sinceMs`, when the object
 * was last known to be otherwise; the arrival where it holds no such time.
 */
export function firstVersionTime(object: ApiObject, arrivalMs: number, oldestMs: number): number {
  const made =
    object.kind === 'Event' || isEvent(object) ? newestTime(object) : time(object.metadata.creationTimestamp);
  return Math.min(arrivalMs, Math.max(oldestMs, made ?? arrivalMs));
}

export function laterVersionTime(object: ApiObject, arrivalMs: number, sinceMs: number): number {
  const said = newestTime(object);
  const ms = said !== undefined && said > sinceMs && said < arrivalMs - RESOLUTION_MS ? said : arrivalMs;
  return Math.max(ms, sinceMs + 1);
}

function isEvent(object: ApiObject): boolean {
  return isRecord(object.involvedObject) || isRecord(object.regarding);
}

/** The newest time at which something happened to the object, as far as it says. */
function newestTime(object: ApiObject): number | undefined {
  const status = isRecord(object.status) ? object.status : {};
  const series = isRecord(object.series) ? object.series : {};
  const states = [...records(status.containerStatuses), ...records(status.initContainerStatuses)].flatMap((container) =>
    [container.state, container.lastState].filter(isRecord).flatMap((state) => Object.values(state).filter(isRecord)),
  );
  const times = [
    ...records(object.metadata.managedFields).map((entry) => entry.time),
    ...records(status.conditions).map((condition) => condition.lastTransitionTime),
    ...states.flatMap((state) => [state.startedAt, state.finishedAt]),
    object.lastTimestamp,
    object.eventTime,
    object.firstTimestamp,
    series.lastObservedTime,
    object.metadata.creationTimestamp,
  ].flatMap((value) => time(value) ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

function time(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
