import type { RegistryClient, SchemaInfo } from '../../../lib/schema-registry/index.js';

/** What a registry answers with an error. */
export class RegistryRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A registry in memory: ids by content, over all subjects, as Confluent's gives them. It counts what it is asked. */
export class MemoryRegistry implements RegistryClient {
  /** What was asked, in order: `register orders-value`, `id 3`, … */
  readonly requests: string[] = [];
  /** Thrown at every request while it is set. */
  failure: Error | null = null;
  private readonly ids = new Map<string, number>();
  private readonly schemas = new Map<number, SchemaInfo>();
  private readonly versions = new Map<string, number[]>();

  get subjects(): readonly string[] {
    return [...this.versions.keys()].sort();
  }

  async register(subject: string, schema: SchemaInfo): Promise<number> {
    await this.asked(`register ${subject}`);
    const text = JSON.stringify(schema);
    const id = this.ids.get(text) ?? this.ids.size + 1;
    this.ids.set(text, id);
    this.schemas.set(id, schema);
    const versions = this.versions.get(subject) ?? [];
    if (!versions.includes(id)) this.versions.set(subject, [...versions, id]);
    return id;
  }

  async getId(subject: string, schema: SchemaInfo): Promise<number> {
    await this.asked(`find ${subject}`);
    const id = this.ids.get(JSON.stringify(schema));
    if (id !== undefined && this.versions.get(subject)?.includes(id)) return id;
    throw new RegistryRefusal(404, 'Subject or schema not found');
  }

  async getBySubjectAndId(_subject: string, id: number): Promise<SchemaInfo> {
    await this.asked(`id ${id}`);
    const schema = this.schemas.get(id);
    if (schema === undefined) throw new RegistryRefusal(404, 'Schema not found');
    return schema;
  }

  async getSchemaMetadata(subject: string, version: number): Promise<SchemaInfo> {
    await this.asked(`version ${subject} ${version}`);
    const schema = this.schemas.get(this.versions.get(subject)?.[version - 1] ?? 0);
    if (schema === undefined) throw new RegistryRefusal(404, 'Version not found');
    return schema;
  }

  /** Lets some time pass, as an answer from elsewhere does. */
  private async asked(what: string): Promise<void> {
    this.requests.push(what);
    await Promise.resolve();
    if (this.failure !== null) throw this.failure;
  }
}
