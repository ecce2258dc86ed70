// Every command: its name, its arguments, and the file that implements it.
import type { Command } from "./command.ts";

export interface Listed {
  takes: string;
  summary: string;
  load: () => Promise<Command>;
}

export const commands: Record<string, Listed> = {
  "setup-link": {
    takes: "",
    summary: "print a new setup link for the first administrator, if no users exist",
    load: async () => (await import("./commands/setup-link.ts")).setupLinkCommand,
  },
  "user add": {
    takes: "EMAIL [--role user|manager|admin] [--name NAME] [--json]",
    summary: "create a user and print the link that sets their password",
    load: async () => (await import("./commands/user.ts")).userAdd,
  },
  "user list": {
    takes: "[--json]",
    summary: "list all users, newest first",
    load: async () => (await import("./commands/user.ts")).userList,
  },
  "user reset": {
    takes: "EMAIL [--json]",
    summary: "print a single-use link that sets a new password",
    load: async () => (await import("./commands/user.ts")).userReset,
  },
  "user reset-factors": {
    takes: "EMAIL",
    summary: "remove a user's second factors and end their sessions",
    load: async () => (await import("./commands/user.ts")).userResetFactors,
  },
  "user disable": {
    takes: "EMAIL",
    summary: "end a user's sessions and block their sign-in",
    load: async () => (await import("./commands/user.ts")).userDisable,
  },
  "user enable": {
    takes: "EMAIL",
    summary: "allow a disabled user to sign in again",
    load: async () => (await import("./commands/user.ts")).userEnable,
  },
  "policy open-networks": {
    takes: "",
    summary: "clear the list of allowed networks if it locks everyone out",
    load: async () => (await import("./commands/policy-open-networks.ts")).policyOpenNetworks,
  },
  rekey: {
    takes: "[--key-file | --passphrase | --passphrase-file FILE]",
    summary: "replace the root key, by default with one of the same kind",
    load: async () => (await import("./commands/rekey.ts")).rekey,
  },
  unseal: {
    takes: "[--url URL]",
    summary: "unseal a running server with the passphrase, typed or from standard input",
    load: async () => (await import("./commands/unseal.ts")).unsealCommand,
  },
  status: {
    takes: "[--url URL] [--json]",
    summary: "show the status of a running server; exits with 0 if it is healthy",
    load: async () => (await import("./commands/status.ts")).status,
  },
  ssh: {
    takes: "ACCOUNT [COMMAND...] [--reason TEXT] [--ticket NUMBER] [--url URL]",
    summary: "open a shell or run a command on an account's target, without its password",
    load: async () => (await import("./commands/native.ts")).sshCommand,
  },
  scp: {
    takes: "FILE ACCOUNT:PATH | ACCOUNT:PATH FILE [-r] [--reason TEXT] [--ticket NUMBER] [--url URL]",
    summary: "copy files to or from an account's target, without its password",
    load: async () => (await import("./commands/native.ts")).scpCommand,
  },
  "ssh-config": {
    takes: "[--known-hosts] [--url URL]",
    summary: "print the lines for ~/.ssh/config, or for ~/.ssh/known_hosts, that connect OpenSSH to the gateway",
    load: async () => (await import("./commands/native.ts")).sshConfigCommand,
  },
  backup: {
    takes: "FOLDER [--json]",
    summary: "copy the embedded database into a new folder, with or without a running server",
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  "backup verify": {
    takes: "FOLDER [--json]",
    summary: "verify with the root key that a backup is unchanged, without starting it",
    load: async () => (await import("./commands/backup.ts")).backupVerify,
  },
  restore: {
    takes: "FOLDER [--accept-unauthenticated]",
    summary: "restore a backup into an empty data folder",
    load: async () => (await import("./commands/restore.ts")).restoreCommand,
  },
  restored: {
    takes: "",
    summary: "mark a database restored by other means, so that revoked access stays revoked",
    load: async () => (await import("./commands/restored.ts")).restored,
  },
  "audit export": {
    takes: "[FILE]",
    summary: "export the whole audit trail with its checkpoints to a new file or to standard output",
    load: async () => (await import("./commands/audit-export.ts")).auditExport,
  },
  "audit checkpoint": {
    takes: "[--json]",
    summary: "print the newest signed checkpoint, to store elsewhere",
    load: async () => (await import("./commands/audit-log.ts")).auditCheckpoint,
  },
  "audit key": {
    takes: "",
    summary: "print the public key that verifies the audit trail",
    load: async () => (await import("./commands/audit-log.ts")).auditKey,
  },
  "audit contradictions": {
    takes: "[--json]",
    summary: "list contradictions in the audit trail; exits with 1 if any are open",
    load: async () => (await import("./commands/audit-contradictions.ts")).auditContradictions,
  },
  "audit accept": {
    takes: "ID... --reason TEXT",
    summary: "accept the database as it is, after reading the contradictions",
    load: async () => (await import("./commands/audit-contradictions.ts")).auditAccept,
  },
  "audit verify": {
    takes: "FILE --key KEY|FILE [--kept CHECKPOINTS]... [--witness KEY|FILE] [--json]",
    summary: "verify an export with the log's public key; needs no database",
    load: async () => (await import("./commands/audit-verify.ts")).auditVerify,
  },
  "recording verify": {
    takes: "FILE [--digests FILE]... [--json]",
    summary: "check that a session recording is complete and unchanged; needs no database and no key",
    load: async () => (await import("./commands/recording-verify.ts")).recordingVerify,
  },
  inject: {
    takes: "[FILE] [--out FILE] [--url URL]",
    summary: "print a file, or standard input, with its {{strongroom:ACCOUNT-ID}} references replaced by secrets",
    load: async () => (await import("./commands/inject.ts")).inject,
  },
  run: {
    takes: "[--env-file FILE]... [--url URL] -- PROGRAM [WORD...]",
    summary: "start a program with the references in its environment replaced by secrets",
    load: async () => (await import("./commands/run.ts")).run,
  },
  scan: {
    takes:
      "PATH... [--json | --sarif] [--staged] [--baseline FILE [--update-baseline]] [--fail-on low|medium|high|critical] [--exclude GLOB]... [--min-confidence NUMBER] [--strict]",
    summary: "find secrets in files; needs no server; exits with 1 if there are findings",
    load: async () => (await import("./commands/scan.ts")).scan,
  },
};
