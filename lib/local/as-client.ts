import type { StreamsApp } from '../topology/app.js';

/**
 * The application as Kafka Streams' client runs it: what nobody caught ends it, unless the setting or a handler says otherwise. Who waits for
 * it hears of the error; what is deployed has nobody who waits.
 */
export function asClient(app: StreamsApp): StreamsApp {
  if (app.settings.uncaughtExceptionHandler !== 'auto') return app;
  return { ...app, settings: { ...app.settings, uncaughtExceptionHandler: 'shutdownClient' } };
}
