/**
 * What the members of this execution environment say of themselves to the assignor: the operator's tags, and the zone.
 *
 * `MILLRACE_MEMBER_TAGS` is a list of names and values, `zone=use1-az1,disk=large`. Where it names no zone, Lambda's own metadata
 * endpoint tells the id of the availability zone (`use1-az1`), by which Amazon MSK names its brokers' racks too. Where there is no such
 * endpoint, or it does not answer in time, no zone is known.
 */

import { ZONE_TAG } from '../assignment/tags-read.js';
import type { Logger } from '../host/host.js';
import { InvalidSettingError } from '../model/errors.js';
import { messageOf } from '../model/thrown.js';
import type { Environment } from './environment.js';

const TAGS = 'MILLRACE_MEMBER_TAGS';
/** Set by Lambda in every execution environment (docs.aws.amazon.com/lambda/latest/dg/configuration-metadata-endpoint.html). */
const METADATA_API = 'AWS_LAMBDA_METADATA_API';
const METADATA_TOKEN = 'AWS_LAMBDA_METADATA_TOKEN';
/** It answers within milliseconds, from inside the execution environment. */
const METADATA_TIMEOUT_MS = 1_000;

export type Tags = Readonly<Record<string, string>>;

/** Asks an URL for JSON; the default is Node's `fetch`. */
export type JsonReader = (
  url: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
) => Promise<unknown>;

/**
 * The tags of members that run here.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if the variable is no such list
 */
export async function memberTags(
  environment: Environment,
  logger: Logger,
  readJson: JsonReader = fetchJson,
): Promise<Tags> {
  const tags = tagsFromText(environment[TAGS] ?? '');
  const api = environment[METADATA_API];
  if (tags[ZONE_TAG] !== undefined || api === undefined || api === '') return tags;
  const headers = { Authorization: `Bearer ${environment[METADATA_TOKEN] ?? ''}` };
  try {
    const url = `http://${api}/2026-01-15/metadata/execution-environment`;
    const zone = zoneIn(await readJson(url, headers, METADATA_TIMEOUT_MS));
    return { ...tags, [ZONE_TAG]: zone };
  } catch (thrown) {
    logger.warn('zone-unknown', { message: messageOf(thrown) });
    return tags;
  }
}

function tagsFromText(text: string): Tags {
  const entries = text.split(',').map((one) => one.trim());
  return Object.fromEntries(
    entries
      .filter((one) => one !== '')
      .map((one): [string, string] => {
        const at = one.indexOf('=');
        const [name, value] = [one.slice(0, at).trim(), one.slice(at + 1).trim()];
        if (at > 0 && name !== '' && value !== '') return [name, value];
        throw new InvalidSettingError(
          `${TAGS}: '${text}' was given, names and values such as 'zone=a,disk=large' are wanted`,
          {
            details: { name: TAGS, value: text },
          },
        );
      }),
  );
}

function zoneIn(answer: unknown): string {
  const zone = (answer as { readonly AvailabilityZoneID?: unknown } | null)?.AvailabilityZoneID;
  if (typeof zone === 'string' && zone !== '') return zone;
  throw new TypeError('the metadata endpoint names no availability zone');
}

async function fetchJson(url: string, headers: Readonly<Record<string, string>>, timeoutMs: number): Promise<unknown> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`the metadata endpoint answered ${response.status}`);
  return response.json();
}
