/**
 * A schema registry as serdes see it: schemas by id, ids by subject, each asked for once. What is known is answered at once, and a
 * promise is made for the rest alone. Ids and schemas never change, so nothing that was found is ever asked for again.
 *
 * Invariants
 *   R1  one request is under way for one id, or for one schema under one subject
 *   R2  a registry that is away leaves nothing behind: the next look-up asks again
 *   R3  an id that the registry does not know is remembered for a while, so that a topic of such records costs a request now and then
 */
import { createSystemClock } from '../host/node/system-clock.js';
import { confluentClient, type RegistryAddress } from './confluent-client.js';
import type { RegistryClient, SchemaInfo } from './registry-client.js';
import { statusOf, subjectError, unavailable } from './registry-errors.js';
import type { SubjectNames } from './subject-names.js';

/** How long an id that the registry does not know is not asked for again. */
const UNKNOWN_ID_MS = 30_000;
/** Unknown ids remembered; the oldest is forgotten. */
const UNKNOWN_IDS_MAX = 10_000;
/** Schemas that one schema may refer to, directly or not. */
const REFERENCES_MAX = 1_000;
const NOT_FOUND = 404;

/** A schema that another refers to by a name. */
export interface NamedSchema {
  readonly name: string;
  readonly text: string;
}

/** A schema with the texts of all that it refers to. */
export interface KnownSchema {
  readonly type: string;
  readonly text: string;
  /** Those referred to come before those that refer to them. */
  readonly references: readonly NamedSchema[];
}

export interface SchemaRegistryOptions {
  /** Default `topic`; a serde may say otherwise. */
  readonly subjectNames?: SubjectNames;
  /** Whether schemas are registered where they are not yet (`auto.register.schemas`); default true. */
  readonly autoRegister?: boolean;
  /** Whether the registry is to look at what a schema means rather than at its text (`normalize.schemas`); default false. */
  readonly normalize?: boolean;
}

/**
 * A registry that speaks Confluent's API, for the serdes of one application: make one, and give it to all of them.
 *
 * @param options `urls` with `credentials`, or a `client` of yours (Confluent's `SchemaRegistryClient` has more ways to log in)
 *
 * @example
 * const registry = schemaRegistry({ urls: ['https://registry.example:8081'] });
 * const order = avro<Order>({ registry, schema: orderSchema });
 */
export function schemaRegistry(
  options: SchemaRegistryOptions & (RegistryAddress | { readonly client: RegistryClient }),
): SchemaRegistry {
  const clock = createSystemClock();
  const client = 'client' in options ? options.client : confluentClient(options);
  return new SchemaRegistry(client, options, () => clock.monotonic());
}

export class SchemaRegistry {
  readonly subjectNames: SubjectNames;
  readonly autoRegister: boolean;
  private readonly client: RegistryClient;
  private readonly normalize: boolean;
  private readonly nowMs: () => number;
  private readonly schemas = new Map<number, KnownSchema>();
  private readonly unknown = new Map<number, number>();
  private readonly loading = new Map<number, Promise<void>>();
  private readonly registering = new Map<string, Promise<number>>();

  /** @param nowMs any clock that goes on, in milliseconds */
  constructor(client: RegistryClient, options: SchemaRegistryOptions, nowMs: () => number) {
    this.client = client;
    this.nowMs = nowMs;
    this.subjectNames = options.subjectNames ?? 'topic';
    this.autoRegister = options.autoRegister ?? true;
    this.normalize = options.normalize ?? false;
  }

  /** A schema that was looked up; null if the registry does not know it; undefined before {@link load}. */
  schema(id: number): KnownSchema | null | undefined {
    const known = this.schemas.get(id);
    if (known !== undefined) return known;
    return this.unknown.has(id) ? null : undefined;
  }

  /**
   * Looks a schema up; undefined if that was done.
   *
   * @throws {UnavailableError} STREAMS_UNAVAILABLE, as a promise
   */
  load(id: number): Promise<void> | undefined {
    if (this.schemas.has(id) || (this.unknown.get(id) ?? 0) > this.nowMs()) return undefined;
    const underWay = this.loading.get(id);
    if (underWay !== undefined) return underWay;
    const load = this.fetch(id).finally(() => this.loading.delete(id));
    this.loading.set(id, load);
    return load;
  }

  /**
   * The id of a schema under a subject, registered if need be.
   *
   * @throws {UnavailableError} STREAMS_UNAVAILABLE · {SerializationError} STREAMS_SERIALIZATION_FAILED if the registry refuses the
   *   schema, or does not have it and may not be given it
   */
  async idOf(subject: string, info: SchemaInfo, autoRegister: boolean): Promise<number> {
    const key = JSON.stringify([subject, autoRegister, info]);
    const underWay = this.registering.get(key);
    if (underWay !== undefined) return underWay;
    const asked = autoRegister
      ? this.client.register(subject, info, this.normalize)
      : this.client.getId(subject, info, this.normalize);
    const registering = asked.catch((thrown: unknown) => {
      this.registering.delete(key);
      throw subjectError(thrown, subject, info);
    });
    this.registering.set(key, registering);
    return registering;
  }

  /** Takes over a schema whose id is known from elsewhere. */
  remember(id: number, schema: KnownSchema): void {
    if (!this.schemas.has(id)) this.schemas.set(id, schema);
    this.unknown.delete(id);
  }

  private async fetch(id: number): Promise<void> {
    try {
      const info = await this.client.getBySubjectAndId('', id);
      const references: NamedSchema[] = [];
      await this.collectReferences(info, references, new Set());
      this.remember(id, { type: info.schemaType ?? 'AVRO', text: info.schema, references });
    } catch (thrown) {
      if (statusOf(thrown) !== NOT_FOUND && !(thrown instanceof RangeError)) throw unavailable(thrown, `schema ${id}`);
      this.noteUnknown(id);
    }
  }

  /** @throws {RangeError} if there are too many */
  private async collectReferences(
    { references = [] }: SchemaInfo,
    found: NamedSchema[],
    seen: Set<string>,
  ): Promise<void> {
    for (const { name, subject, version } of references) {
      const key = JSON.stringify([name, subject, version]);
      if (seen.has(key)) continue;
      if (seen.size >= REFERENCES_MAX) throw new RangeError(`a schema refers to more than ${REFERENCES_MAX} others`);
      seen.add(key);
      const info = await this.client.getSchemaMetadata(subject, version, true);
      await this.collectReferences(info, found, seen);
      found.push({ name, text: info.schema });
    }
  }

  private noteUnknown(id: number): void {
    this.unknown.delete(id);
    this.unknown.set(id, this.nowMs() + UNKNOWN_ID_MS);
    const [oldest] = this.unknown.keys();
    if (this.unknown.size > UNKNOWN_IDS_MAX && oldest !== undefined) this.unknown.delete(oldest);
  }
}
