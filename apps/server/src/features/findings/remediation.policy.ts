// The steps that fix a finding, and the named controls of compliance frameworks that it breaks.
import { placeName, placeOf } from "@strongroom/contract";
import type { ComplianceFramework, DatabasePlace, Place, ProcessPlace } from "@strongroom/contract";
import { COLUMN_DETECTOR } from "./findings.policy.ts";

interface Found {
  class: string;
  detector: string;
  path: string;
  file_owner: string;
  file_mode: string;
  key_name: string | null;
  username: string | null;
}

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;

/** Steps for this class of secret at this place, in order. */
export function remediationSteps(found: Found): string[] {
  const { username } = found;
  const who = username === null ? "the account that this secret opens" : `"${username}"`;
  const place = placeOf(found.path);
  const steps = stepsAt(place, found, who);
  return [
    ...exposureSteps(place, found),
    ...steps,
    "Scan the target again: the next scan that no longer finds this closes the finding.",
  ];
}

function stepsAt(place: Place, found: Found, who: string): string[] {
  switch (place.kind) {
    case "column":
    case "definition":
    case "setting":
      return stepsInDatabase(place, found, who);
    case "object":
      return stepsInBucket(found, who);
    case "repository":
      return stepsInRepository(found, who);
    default:
      return stepsOf(found, who);
  }
}

function exposureSteps(place: Place, { class: kind, file_mode, file_owner, path }: Found): string[] {
  if (place.kind === "process") return processSteps(place);
  // Certificates are public, and programs of other users read them.
  if (kind === "certificate") return [];
  const mode = Number.parseInt(file_mode, 8);
  if ((mode & 0o044) === 0) return [];
  switch (place.kind) {
    case "repository":
      return [];
    case "object":
      return [
        `Everyone can read the bucket now. Run: aws s3api put-public-access-block --bucket ${place.bucket} --public-access-block-configuration BlockPublicAcls=true,IgnorePublicAcls=true,BlockPublicPolicy=true,RestrictPublicBuckets=true`,
      ];
    case "column": {
      const table = place.name.replace(/\.(?:[\w$-]+|"(?:[^"]|"")*")$/, "");
      return [
        `Every login of the database can read the table now. Run: REVOKE SELECT ON ${inSchema(table)} FROM PUBLIC`,
      ];
    }
    case "definition":
    case "setting":
      return [`Every login of the database can read the ${place.kind}: no permission limits that.`];
    default: {
      const readers = (mode & 0o004) !== 0 ? "every user of the host" : "its group";
      return [
        `Limit who can read the file now: ${readers} can (mode ${file_mode}, owner ${file_owner}). Run: chmod go-rwx ${quoted(path)}, if no service needs the group's right.`,
      ];
    }
  }
}

/** Without the database, which SQL does not name. Oracle's names have none. */
const inSchema = (table: string): string => {
  const [database = "", ...rest] = table.match(/[\w$-]+|"(?:[^"]|"")*"/g) ?? [];
  return rest.length < 2 ? table : table.slice(database.length + 1);
};

function stepsInDatabase(place: DatabasePlace, { class: kind, detector, key_name }: Found, who: string): string[] {
  if (detector === COLUMN_DETECTOR) {
    const stored =
      kind === "api_token"
        ? "Store only a SHA-256 hash of each token, and compare hashes."
        : "Store only hashes made for passwords, such as Argon2 or bcrypt, and let the application rehash at the next login.";
    return [stored, "Then overwrite the old values, and delete or encrypt backups that contain them."];
  }
  const setting = key_name === null ? place.name : `${key_name} in ${place.name}`;
  const move =
    place.kind === "definition"
      ? `Remove the secret from ${place.name}: let the code use the rights of its owner, or a user mapping that only its user can read.`
      : `Let the application read the secret from its environment or from Strongroom instead of ${setting}, and delete the value.`;
  return [
    replaceStep(kind, who, "database"),
    move,
    "Backups and replicas of the database still contain the old value, so it must no longer work.",
  ];
}

/** How the secret stops working, because copies of it remain. */
function replaceStep(kind: string, who: string, place: "database" | "bucket" | "repository"): string {
  switch (kind) {
    case "api_token":
      return "Revoke the token at its provider and create a new one with the smallest scope that works.";
    case "private_key":
      return "Create a new key pair, authorise it, and remove the old public key everywhere.";
    case "encryption_key":
      return "Create a new key in a key store, and re-encrypt the data with it.";
    case "certificate":
      return "Renew or replace the certificate.";
    default:
      return `Vault the secret, and rotate the password of ${who}: everyone who could read the ${place} knows the current one.`;
  }
}

function stepsInBucket({ class: kind, path, key_name }: Found, who: string): string[] {
  const setting = key_name === null ? path : `${key_name} in ${path}`;
  return [
    replaceStep(kind, who, "bucket"),
    `Let the application read the secret from its environment or from Strongroom instead of ${setting}, and upload the object without it.`,
    "Earlier versions and replicas of the object still contain the old secret, so it must no longer work.",
  ];
}

function stepsInRepository({ class: kind, path, key_name }: Found, who: string): string[] {
  const place = placeName(path);
  const setting = key_name === null ? place : `${key_name} in ${place}`;
  return [
    replaceStep(kind, who, "repository"),
    `Let the application read the secret from its environment or from Strongroom instead of ${setting}, and commit the file without it on every branch.`,
    "The history and every clone still contain the old secret, so it must no longer work. This finding stays open until the history is rewritten, for example with git filter-repo, or until you set its status.",
  ];
}

function processSteps({ part, name, user }: ProcessPlace): string[] {
  if (part === "environment")
    return [
      `Find what starts ${name} with this environment, such as its systemd unit or container, and let it read the secret from a file that only ${user} can read.`,
    ];
  return [
    `Every user of the host can list the arguments of ${name}. Pass the secret in a file that only ${user} can read, or on standard input, and start the process again.`,
  ];
}

function stepsOf({ class: kind, path, key_name }: Found, who: string): string[] {
  const setting = key_name === null ? path : `${key_name} in ${path}`;
  switch (kind) {
    case "private_key":
      return [
        `Find where the public key is authorised: compare the output of ssh-keygen -y -f ${quoted(path)} with authorized_keys files.`,
        "Create a new key pair, authorise it, and remove the old public key everywhere.",
        "Store the new private key in a safe. Protect a copy that must stay on the host with a passphrase or an agent.",
      ];
    case "api_token":
      return [
        "Revoke the token at its provider and create a new one with the smallest scope that works.",
        `Store the new token in a safe, and let the application read it from its environment or from Strongroom instead of ${setting}.`,
        "Check the provider's log for uses of the old token that you do not recognise.",
      ];
    case "encryption_key":
      return [
        "Create a new key in a key store, and re-encrypt the data with it.",
        `Remove the old key from ${setting}. Keep it in a safe as long as old data needs it.`,
      ];
    case "password_hash":
      return [
        `Change the password of ${who}: a hash that others can read can be cracked offline.`,
        "Use a slow hash, such as yescrypt, bcrypt or Argon2, for the new password.",
      ];
    case "host_key":
      return [
        "sshd needs this key without a passphrase. If only root can read it and no other host has it, accept the finding.",
        "If other users could read it, or another host has it too: delete /etc/ssh/ssh_host_*, run ssh-keygen -A, and restart sshd.",
        "Then replace the old key in the known_hosts files of clients, and confirm the new one on the discovery target.",
      ];
    case "certificate":
      return ["Renew or replace the certificate, and remove copies that nothing uses."];
    case "weak_password":
      return [
        `Change the password of ${who} today: it is among the first that attackers try.`,
        "Store the new password in a safe, with a platform that rotates it.",
      ];
    case "known_secret":
      return [
        `Vault the finding with "Rotate the secret and update the file": it registers ${path} as a dependent of the account, so that this and every later rotation updates the file.`,
        `Otherwise rotate the password of ${who}, because everyone who could read the file knows it, and change the file yourself.`,
      ];
    case "shared_key":
      return [
        "Give each account its own key pair.",
        "Remove the shared public key from all but one authorized_keys file.",
      ];
    case "service_login":
      return [
        `Lock the password of ${who} and give it a shell that refuses logins: usermod --lock --shell /usr/sbin/nologin.`,
        "If people need it, onboard it into a safe and let them use it through sessions.",
      ];
    default:
      return [
        `Vault the finding with "Rotate the secret and update the file": it stores the password of ${who} in a safe, changes it, and updates ${path}.`,
        `Otherwise change the password, and replace the value of ${setting} with a reference to a secret store.`,
      ];
  }
}

interface Control {
  control: string;
  text: string;
}

const STORED_SECRETS: Readonly<Record<ComplianceFramework, Control>> = {
  sox: { control: "COBIT DSS05.04", text: "Credentials that open financial systems are managed, not left in files." },
  pci_dss: {
    control: "8.6.2",
    text: "Passwords of application and system accounts are not hard coded in scripts or configuration files.",
  },
  soc2: { control: "CC6.1", text: "Logical access controls protect credentials and keys." },
  hipaa: {
    control: "§164.312(a)(1)",
    text: "Only authorised people and programs can use credentials of systems with health data.",
  },
  gdpr: { control: "Art. 32(1)(b)", text: "Security of processing includes the confidentiality of credentials." },
  iso27001: { control: "A.5.17", text: "Authentication information is allocated and managed so that it stays secret." },
};
const KEYS: Partial<Record<ComplianceFramework, Control>> = {
  pci_dss: {
    control: "3.6.1",
    text: "Cryptographic keys are stored in as few locations as possible and protected against disclosure.",
  },
  iso27001: { control: "A.8.24", text: "Rules for the use of cryptography cover the protection of keys." },
};
const ACCOUNTS: Partial<Record<ComplianceFramework, Control>> = {
  pci_dss: { control: "8.2.2", text: "Shared accounts and credentials are used only by exception and are managed." },
  iso27001: { control: "A.5.16", text: "The whole life cycle of identities is managed." },
};
const WEAK: Partial<Record<ComplianceFramework, Control>> = {
  pci_dss: {
    control: "2.2.2",
    text: "Vendor default accounts are managed: their passwords are changed or they are disabled.",
  },
};
const NOTHING: ReadonlySet<string> = new Set(["certificate", "host_key"]);

/** The controls that a finding of this class breaks, by framework. */
export function complianceImpact(kind: string): ({ framework: ComplianceFramework } & Control)[] {
  if (NOTHING.has(kind)) return [];
  const special =
    kind === "private_key" || kind === "encryption_key"
      ? KEYS
      : kind === "weak_password"
        ? WEAK
        : isAccount(kind)
          ? ACCOUNTS
          : {};
  const frameworks = Object.keys(STORED_SECRETS) as ComplianceFramework[];
  return frameworks.map((framework) => ({ framework, ...(special[framework] ?? STORED_SECRETS[framework]) }));
}

const isAccount = (kind: string): boolean => kind === "shared_key" || kind === "service_login";
