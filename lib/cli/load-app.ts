import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../model/thrown.js';
import type { StreamsApp } from '../topology/app.js';
import { UsageError } from './usage-error.js';

/**
 * The application that a module exports, as `default` or as `app`: what `defineApp` answers.
 *
 * @param path of the built module, from the working directory
 * @throws {UsageError} STREAMS_COMMAND_REFUSED if the module can not be loaded or exports none
 */
export async function loadApp(path: string): Promise<StreamsApp> {
  const exported = await importModule(path);
  const app = [exported.default, exported.app].find(isApp);
  if (app !== undefined) return app;
  throw new UsageError(`${path} exports no application`, {
    details: { path, exports: Object.keys(exported) },
    remedy: 'Export what defineApp answers as the default, or as `app`.',
  });
}

async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as Record<string, unknown>;
  } catch (cause) {
    throw new UsageError(`${path} can not be loaded: ${messageOf(cause)}`, {
      cause,
      details: { path },
      remedy: 'Give the path of the built module (JavaScript) that exports the application.',
    });
  }
}

function isApp(value: unknown): value is StreamsApp {
  if (typeof value !== 'object' || value === null) return false;
  const { applicationId, topology, settings } = value as Partial<StreamsApp>;
  return typeof applicationId === 'string' && topology?.nodes instanceof Map && settings !== undefined;
}
