import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createSecureContext, type SecureContextOptions } from "node:tls";

/** A certificate (with its chain) and the private key, each in a PEM file. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface TlsPair {
  readonly options: SecureContextOptions;
  /** When the certificate ends. */
  readonly validTo: Date;
}

/** The certificate and key cannot be used. The message names the file and says what is wrong. */
export class BadTlsFiles extends Error {
  override readonly name = "BadTlsFiles";
}

/** Reads both files and checks that they belong together. Throws a BadTlsFiles. */
export function readTlsPair(files: TlsFiles): TlsPair {
  const cert = readPem("tls_cert", files.cert);
  const key = readPem("tls_key", files.key);
  const certificate = parseCertificate(cert, files.cert);
  const options: SecureContextOptions = { cert, key, minVersion: "TLSv1.2" };
  try {
    createSecureContext(options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === "ERR_OSSL_X509_KEY_VALUES_MISMATCH"
        ? `is not the key of the certificate in ${files.cert}`
        : "is not a private key in PEM format without a passphrase";
    throw new BadTlsFiles(`The file ${files.key} (tls_key) ${reason}.`, { cause: error });
  }
  return { options, validTo: new Date(certificate.validTo) };
}

/** Calls back with the new pair when one of the files has changed, or with the error when the new pair cannot be used. */
export function createTlsFileCheck(files: TlsFiles, onChange: (pair: TlsPair | BadTlsFiles) => void): () => void {
  let seen = describeFiles(files);
  return () => {
    const now = describeFiles(files);
    if (now === seen) return;
    seen = now;
    onChange(tryReading(files));
  };
}

function tryReading(files: TlsFiles): TlsPair | BadTlsFiles {
  try {
    return readTlsPair(files);
  } catch (error) {
    if (error instanceof BadTlsFiles) return error;
    throw error;
  }
}

function readPem(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = reasons[code ?? ""] ?? `cannot be read (${code})`;
    throw new BadTlsFiles(`The file ${path} (${setting}) ${reason}.`, { cause: error });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "cannot be read by the user that runs Foyer",
  EISDIR: "is a folder",
};

function parseCertificate(pem: Buffer, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new BadTlsFiles(`The file ${path} (tls_cert) is not a certificate in PEM format.`, { cause: error });
  }
}

/** Differs when a file was replaced or written again. Tools that renew certificates often replace a link. */
function describeFiles({ cert, key }: TlsFiles): string {
  return [cert, key].map(describeFile).join(" ");
}

function describeFile(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "none" : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}
