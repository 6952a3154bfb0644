import { silentLogger, systemClock } from '../../base/index.ts';
import { openStore } from '../store.ts';
import { keepForever, openEmbedded, temporaryFolder } from '../testing.ts';
import { portContract } from './port-contract.ts';

portContract('the embedded engine', async () => {
  const folder = await temporaryFolder();
  const store = await openEmbedded(folder.path);
  return { ...store, close: () => store.close().then(folder.remove) };
});

const remote = process.env.TRIFOCAL_TEST_CLICKHOUSE_URL;
if (remote) {
  const { username, password, origin } = new URL(remote);
  const database = `trifocal_test_${process.pid}_${Date.now()}`;
  const engine = { kind: 'remote', url: origin, user: username || 'default', password, database } as const;
  portContract('a ClickHouse server', async () => {
    const store = await openStore({ engine, retention: keepForever, clock: systemClock, logger: silentLogger });
    const drop = { text: `DROP DATABASE ${database}`, params: {} };
    const limits = { seconds: 30, memoryBytes: 1024 ** 3 };
    return { ...store, close: () => store.port.run(drop, { limits }).finally(store.close) };
  });
}
