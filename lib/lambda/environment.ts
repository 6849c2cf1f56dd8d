/**
 * Settings from environment variables.
 *
 * `MILLRACE_SETTING_<NAME>` overrides one setting of the application: its name in capitals, words joined by underscores.
 * `sessionTimeoutMs` is MILLRACE_SETTING_SESSION_TIMEOUT_MS; values are texts as in a properties file (`30s`, `at_least_once`),
 * and an empty one counts as absent.
 */
import { InvalidSettingError } from '../model/errors.js';
import { resolveSettings, settingsFromText } from '../model/settings.js';
import type { StreamsApp } from '../topology/app.js';

/** Environment variables, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

const SETTING_PREFIX = 'MILLRACE_SETTING_';

/**
 * The application with the settings that the environment overrides.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING for an unknown name, a wrong value or a bad combination
 */
export function appInEnvironment(app: StreamsApp, environment: Environment): StreamsApp {
  const text: Record<string, string> = {};
  for (const [variable, value] of Object.entries(environment)) {
    if (value === undefined || value === '' || !variable.startsWith(SETTING_PREFIX)) continue;
    text[settingName(variable.slice(SETTING_PREFIX.length))] = value;
  }
  return { ...app, settings: resolveSettings({ ...app.settings, ...settingsFromText(text) }) };
}

/** `SESSION_TIMEOUT_MS` → `sessionTimeoutMs`. */
function settingName(upper: string): string {
  return upper.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** @throws {InvalidSettingError} STREAMS_INVALID_SETTING if the variable is absent or empty */
export function requiredVariable(environment: Environment, name: string): string {
  const value = environment[name];
  if (value !== undefined && value !== '') return value;
  throw new InvalidSettingError(`${name} is not set`, {
    details: { name },
    remedy: `Set the environment variable ${name} of the function (infra/environment.yml).`,
  });
}

/** Whether an endpoint is set: an emulator, which has one name for all buckets. */
export function hasEndpoint({ AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 }: Environment): boolean {
  return Boolean(AWS_ENDPOINT_URL) || Boolean(AWS_ENDPOINT_URL_S3);
}
