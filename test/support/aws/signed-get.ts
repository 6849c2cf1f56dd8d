/** A GET request as AWS wants it signed (Signature Version 4), for function URLs. */
import { createHash, createHmac } from 'node:crypto';
import { request } from 'node:http';
import { request as requestSecurely } from 'node:https';

export interface SignedGet {
  /** What is asked for, by its public name: `https://abc.lambda-url.us-east-1.on.aws/stores/counts/hello`. */
  readonly url: URL;
  /** Where to send it instead: an emulator, which tells function URLs apart by the host named in the request. Absent on AWS. */
  readonly through?: URL;
  readonly region: string;
  /** Absent: the request is not signed. */
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

const service = 'lambda';
const requestTimeoutMs = 60_000;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Asks, and answers whatever comes. */
export function signedGet(get: SignedGet, at = new Date()): Promise<HttpAnswer> {
  const { protocol, hostname, port } = get.through ?? get.url;
  const send = protocol === 'https:' ? requestSecurely : request;
  const options = { hostname, port, path: get.url.pathname, headers: headersOf(get, at), timeout: requestTimeoutMs };
  return new Promise((resolve, reject) => {
    const sent = send(options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer from ${get.url} in ${requestTimeoutMs} ms`)));
    sent.on('error', reject);
    sent.end();
  });
}

function headersOf({ url, region, credentials }: SignedGet, at: Date): Record<string, string> {
  if (credentials === undefined) return { host: url.host };
  const time = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const headers: Record<string, string> = { host: url.host, 'x-amz-date': time };
  if (credentials.sessionToken !== undefined) headers['x-amz-security-token'] = credentials.sessionToken;

  const names = Object.keys(headers).sort();
  const path = url.pathname.split('/').map(encodeURIComponent).join('/');
  const listed = names.map((name) => `${name}:${headers[name]}\n`).join('');
  const canonical = ['GET', path, '', listed, names.join(';'), sha256('')].join('\n');
  const key = [time.slice(0, 8), region, service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex');
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}
