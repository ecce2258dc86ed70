// Certificates for test servers, made by the openssl tool: a test authority and leaves with the relevant faults.
import { randomBytes, X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstExisting, runTool, temporaryFolder } from "./targets/server-process.ts";
import type { Unavailable } from "./targets/availability.ts";

export interface ServerCertificate {
  /** PEM. */
  certificate: string;
  /** PEM, PKCS#8. */
  privateKey: string;
}

export interface Authority extends ServerCertificate {
  /**
   * A leaf for `names` (DNS names and IP addresses). Days count from now; an `until` before now makes an expired one.
   */
  issue(names: readonly string[], validity?: { fromDay?: number; untilDay?: number }): Promise<ServerCertificate>;
  /** An authority below this one. */
  issueAuthority(): Promise<Authority>;
}

export function opensslAvailable(): Unavailable {
  return firstExisting(["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]) === null
    ? "there is no openssl tool"
    : null;
}

export async function makeAuthority(): Promise<Authority> {
  const issued = await sign({ subject: "Strongroom test authority", extensions: AUTHORITY_EXTENSIONS, signer: null });
  return authorityOf(issued);
}

/** A certificate that is its own issuer. */
export function makeSelfSigned(names: readonly string[]): Promise<ServerCertificate> {
  return sign({ subject: names[0] ?? "test", extensions: leafExtensions(names), signer: null });
}

function authorityOf(self: ServerCertificate): Authority {
  return {
    ...self,
    issue: (names, { fromDay = -1, untilDay = 30 } = {}) =>
      sign({ subject: names[0] ?? "test", extensions: leafExtensions(names), signer: self, fromDay, untilDay }),
    issueAuthority: async () =>
      authorityOf(
        await sign({ subject: "Strongroom test intermediate", extensions: AUTHORITY_EXTENSIONS, signer: self }),
      ),
  };
}

const AUTHORITY_EXTENSIONS = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"];

function leafExtensions(names: readonly string[]): string[] {
  const alternatives = names.map((name) => (/^[\d.]+$|:/.test(name) ? `IP:${name}` : `DNS:${name}`));
  return ["basicConstraints=critical,CA:FALSE", `subjectAltName=${alternatives.join(",")}`];
}

interface Signing {
  subject: string;
  extensions: readonly string[];
  /** Null signs with its own key. */
  signer: ServerCertificate | null;
  fromDay?: number;
  untilDay?: number;
}

/** `openssl ca` is the only subcommand that sets both the start and the end of the validity period in every OpenSSL version. */
async function sign({ subject, extensions, signer, fromDay = -1, untilDay = 30 }: Signing): Promise<ServerCertificate> {
  const folder = temporaryFolder(null);
  const at = (name: string) => join(folder.path, name);
  try {
    mkdirSync(at("new"));
    writeFileSync(at("index"), "");
    writeFileSync(at("serial"), `01${randomBytes(8).toString("hex")}\n`);
    writeFileSync(
      at("ca.cnf"),
      `[ca]\ndefault_ca=d\n[d]\ndatabase=${at("index")}\nnew_certs_dir=${at("new")}\nserial=${at("serial")}\npolicy=p\nunique_subject=no\n[p]\ncommonName=supplied\n[v3]\n${extensions.join("\n")}\n`,
    );
    await runTool("openssl", [
      "req",
      "-new",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-subj",
      `/CN=${subject}`,
      "-keyout",
      at("key"),
      "-out",
      at("request"),
    ]);
    if (signer !== null) writeFileSync(at("signer.crt"), signer.certificate);
    writeFileSync(at("signer.key"), signer?.privateKey ?? readFileSync(at("key")));
    const by = signer === null ? ["-selfsign"] : ["-cert", at("signer.crt")];
    await runTool("openssl", [
      "ca",
      "-batch",
      "-notext",
      "-md",
      "sha256",
      "-config",
      at("ca.cnf"),
      "-extensions",
      "v3",
      ...by,
      "-keyfile",
      at("signer.key"),
      "-in",
      at("request"),
      "-out",
      at("crt"),
      "-startdate",
      asn1Time(fromDay),
      "-enddate",
      asn1Time(untilDay),
    ]);
    const certificate = new X509Certificate(readFileSync(at("crt"))).toString();
    return { certificate, privateKey: readFileSync(at("key"), "utf8") };
  } finally {
    folder.remove();
  }
}

/** `YYYYMMDDHHMMSSZ`, some days from now. */
function asn1Time(days: number): string {
  const date = new Date(Date.now() + days * 86_400_000);
  return `${date.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
}
