// Explains a failed start in one sentence for the operator.
import type { Database } from "./db/database.ts";
import { StartError } from "./start-error.ts";

const READ_ONLY = "The database is read-only. Connect to the primary server, and check default_transaction_read_only.";

/** Keyed by PostgreSQL's SQLSTATE and by Node's error codes. */
const SENTENCES: Record<string, string> = {
  "53100": "The disk of the database is full. Free some space, then start again.",
  "53200": "The database is out of memory. Give its machine more, or lower shared_buffers and work_mem.",
  "53300": "The database does not accept more connections. Raise its max_connections, or close other clients.",
  "25006": READ_ONLY,
  "28000": "The database refuses this user. Check the user and the encryption in DATABASE_URL, and pg_hba.conf.",
  "28P01": "The database refuses this password. Check the user and the password in DATABASE_URL.",
  "42501": "The database user cannot create tables. Make it the owner of the database.",
  "57P01": "The database is shutting down. Start again when it is up.",
  "57P02": "The database crashed and is recovering. Start again when it is up.",
  "57P03": "The database is starting up or recovering. Start again when it is up.",
  ENOSPC: "The disk is full. Free some space, then start again.",
  EDQUOT: "The disk quota is used up. Free some space, then start again.",
  EROFS: "A file could not be written, because its file system is read-only. Check STRONGROOM_DATA.",
  EACCES: "This user cannot read or write a file. Check the owner of the data folder (STRONGROOM_DATA).",
  EPERM: "This user cannot change a file. Check the owner of the data folder (STRONGROOM_DATA).",
  EMFILE: "Too many files are open. Raise the limit of open files (ulimit -n).",
  ECONNREFUSED:
    "Nothing is listening at the address in DATABASE_URL. Check the host and the port, and start the database.",
  ECONNRESET: "The database, or a proxy in front of it, closed the connection. Check DATABASE_URL and its log.",
  ENOTFOUND: "The host in DATABASE_URL is unknown. Check its name.",
  EAI_AGAIN: "The host in DATABASE_URL could not be looked up. Check the name and the DNS server.",
  EHOSTUNREACH: "The host in DATABASE_URL cannot be reached. Check the network and the firewall.",
  ENETUNREACH: "The host in DATABASE_URL cannot be reached. Check the network and the firewall.",
  ETIMEDOUT: "The database did not answer in time. Check the host in DATABASE_URL and the firewall.",
};

/** The sentence for a known cause at any depth, or else the first line of the error. INVARIANT: never a stack trace. */
export function whyNotStarted(error: unknown): string {
  for (const each of causesOf(error)) {
    if (each instanceof StartError) return each.message;
    const code = (each as { code?: unknown }).code;
    if (typeof code !== "string") continue;
    const known = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined;
    if (known !== undefined) return known;
    // PostgreSQL names the database, for example: database "x" does not exist.
    if (code === "3D000") return `The ${firstLine(each.message)}. Create it with the encoding UTF8.`;
    // Poolers refuse with protocol violations and with their own texts.
    if (code.startsWith("08")) return `The connection was refused: ${firstLine(each.message)}. Check DATABASE_URL.`;
    if (/CERT|SELF_SIGNED|ERR_TLS/.test(code)) {
      return `The certificate of the database is not trusted (${code}). Check sslmode and sslrootcert in DATABASE_URL.`;
    }
  }
  const said = error instanceof Error ? firstLine(error.message) || error.name : "The cause is unknown";
  return `${said.replace(/\.$/, "")}. STRONGROOM_LOG_LEVEL=debug shows more.`;
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

/** The error, its causes and its aggregated errors, outermost first. */
function causesOf(error: unknown, depth = 0): Error[] {
  if (!(error instanceof Error) || depth > 5) return [];
  const gathered = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [error, ...[error.cause, ...gathered].flatMap((each) => causesOf(each, depth + 1))];
}

/** Checks the database before the first migration. Throws StartError for a database whose encoding cannot hold every name. */
export async function requireUsable({ pool }: Pick<Database, "pool">): Promise<void> {
  const { rows } = await pool.query<{ encoding: string; is_read_only: boolean }>(`
    select current_setting('server_encoding') as encoding,
           pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only`);
  const { encoding = "", is_read_only: isReadOnly = false } = rows[0] ?? {};
  if (encoding !== "UTF8") {
    throw new StartError(
      `The database has the encoding ${encoding}, which cannot store every name. Create one with ` +
        "\"create database strongroom encoding 'UTF8' template template0\" and name it in DATABASE_URL.",
    );
  }
  if (isReadOnly) throw new StartError(READ_ONLY);
}
