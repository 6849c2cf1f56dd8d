/** Certificates for a test, made by openssl: an authority, a server on 127.0.0.1, and a client. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** PEM texts; keys are PKCS#8. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  readonly ca: string;
  readonly server: Identity;
  readonly client: Identity;
}

export function makeCertificates(): Certificates {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-certificates-'));
  try {
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
    const read = (file: string) => readFileSync(join(dir, file), 'utf8');
    const newKey = ['-newkey', 'rsa:2048', '-nodes', '-keyout'];
    openssl('req', '-x509', ...newKey, 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=test-authority');
    writeFileSync(join(dir, 'names'), 'subjectAltName=IP:127.0.0.1\n');
    const identity = (name: string): Identity => {
      openssl('req', ...newKey, `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
      const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
      openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.crt`, ...signed);
      return { cert: read(`${name}.crt`), key: read(`${name}.key`) };
    };
    return { ca: read('ca.crt'), server: identity('server'), client: identity('client') };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
