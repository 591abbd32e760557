import { join } from "node:path";
import { run } from "./services/programs.ts";

/** A certificate for this machine's own names that signs itself, and its key. Written again under the same name, both are new. */
export async function createCertificate(
  folder: string,
  name = "tls",
  days = 30,
): Promise<{ tlsCert: string; tlsKey: string }> {
  const tlsCert = join(folder, `${name}-cert.pem`);
  const tlsKey = join(folder, `${name}-key.pem`);
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", tlsKey];
  const subject = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  await run("openssl", ["req", "-x509", ...key, "-out", tlsCert, "-days", String(days), ...subject]);
  return { tlsCert, tlsKey };
}
