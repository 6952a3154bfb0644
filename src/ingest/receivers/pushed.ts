import type { Door, Receiver } from '../doors/index.ts';
import { fluentBit } from './fluent-bit/index.ts';
import { importer } from './import/index.ts';
import { lokiPush } from './loki-push/index.ts';
import type { ReceiverOptions } from './options.ts';
import { otlp } from './otlp/index.ts';
import { remoteWrite } from './remote-write/index.ts';

/** Every protocol that senders push by. */
export const receivers: readonly Receiver<ReceiverOptions>[] = [remoteWrite, lokiPush, fluentBit, otlp, importer];

export const pushDoors: readonly Door[] = receivers.flatMap(({ doors }) => doors);
