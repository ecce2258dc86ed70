// The login of a native SSH client: who connects, to which account, and with which justification. Everything that needs
// a person's answer is asked by keyboard-interactive (RFC 4256).
import type {
  FoundTargets,
  HeldTicket,
  Justification,
  KnownKey,
  NativeAccess,
  SignInStep,
  WaitingSignIn,
} from "@strongroom/server/features/sessions/index.ts";
import type { Actor } from "@strongroom/server/kernel/authz/actor.ts";
import { Refusal, refuse } from "@strongroom/server/kernel/http/refuse.ts";
import ssh2 from "ssh2";
import type { AuthContext, AuthenticationType, KeyboardAuthContext, Prompt, PublicKeyAuthContext } from "ssh2";

/** The account and the rights of an authenticated connection. */
export type Admission =
  | { kind: "ticket"; held: HeldTicket }
  | { kind: "account"; actor: Actor; accountId: string; given: Justification }
  /** The user is known, but the account cannot be used. The first program shows why. */
  | { kind: "refused"; reason: string };

export interface LoginOptions {
  access: NativeAccess;
  address: string;
  agent: string;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /** Where users find their accounts, for messages. */
  pages: string;
}

const METHODS: AuthenticationType[] = ["publickey", "keyboard-interactive", "password"];
const ONLY_QUESTIONS: AuthenticationType[] = ["keyboard-interactive"];
const MOST_TRIES = 6;
/** Keys that a client offers without a signature: agents offer every key that they hold. */
const MOST_OFFERED_KEYS = 20;
const MOST_CHOICES = 20;
const LONGEST_ANSWER = 500;

type Target = FoundTargets["usable"][number];

/** The client sent another request, or closed the connection, instead of answering. */
class AbortedError extends Error {}

export class Login {
  readonly #options: LoginOptions;
  #name: LoginName | null = null;
  #actor: Actor | null = null;
  /** The first proof was right, and a second step is missing. */
  #waiting: WaitingSignIn | null = null;
  /** Why the last attempt was refused; shown with the next question. */
  #explanation = "";
  #target: Target | null = null;
  #admission: Admission | null = null;
  #tries = 0;
  #offeredKeys = 0;

  constructor(options: LoginOptions) {
    this.#options = options;
  }

  /** Null until the client is authenticated. */
  get admission(): Admission | null {
    return this.#admission;
  }

  /** Ends the sign-in of a client that has disconnected. */
  async leave(): Promise<void> {
    if (this.#actor !== null) await this.#options.access.leave(this.#actor, this.#options);
  }

  /** Answers one authentication request. Returns false when the client has used all its tries. Rejects only for a bug. */
  async answer(context: AuthContext): Promise<boolean> {
    if (context.method === "none") {
      context.reject(METHODS);
      return true;
    }
    this.#name ??= parseLoginName(context.username);
    if (context.method === "publickey" && context.signature === undefined) return this.#answerOffer(context);
    this.#tries += 1;
    if (this.#tries > MOST_TRIES) return false;
    try {
      await this.#try(context);
    } catch (error) {
      if (error instanceof AbortedError) return true;
      if (!(error instanceof Refusal)) throw error;
      this.#explanation = explain(error);
      if (context.method === "keyboard-interactive") await this.#tell(context).catch(() => {});
      context.reject(this.#actor === null && this.#waiting === null ? METHODS : ONLY_QUESTIONS);
    }
    return true;
  }

  /** The client asks whether it may sign with this key. */
  async #answerOffer(context: PublicKeyAuthContext): Promise<boolean> {
    this.#offeredKeys += 1;
    if (this.#offeredKeys > MOST_OFFERED_KEYS) return false;
    if ((await this.#findKey(context)) === null) context.reject(METHODS);
    else context.accept();
    return true;
  }

  async #findKey({ key }: PublicKeyAuthContext): Promise<KnownKey | null> {
    if (this.#name === null || this.#waiting !== null) return null;
    const known = await this.#options.access.findKey(key.data);
    return known !== null && isUser(this.#name, known.email) ? known : null;
  }

  async #try(context: AuthContext): Promise<void> {
    const questions = context.method === "keyboard-interactive" ? context : null;
    if (this.#actor === null && this.#admission === null) await this.#authenticate(context);
    if (this.#waiting !== null && this.#actor === null) {
      if (questions === null) return context.reject(ONLY_QUESTIONS, true);
      await this.#askCode(questions, this.#waiting);
    }
    if (this.#admission === null && this.#actor === null) return context.reject(METHODS);
    this.#admission ??= await this.#choose(this.#actor!, questions);
    if (this.#admission === null) context.reject(ONLY_QUESTIONS, true);
    else context.accept();
  }

  async #authenticate(context: AuthContext): Promise<void> {
    if (this.#waiting !== null) return;
    if (context.method === "publickey") await this.#byKey(context);
    if (context.method === "password") await this.#bySecret(context.password, null);
    if (context.method === "keyboard-interactive") await this.#askSecret(context);
  }

  /** INVARIANT: a key identifies its user only together with a signature over this connection. */
  async #byKey(context: PublicKeyAuthContext): Promise<void> {
    const known = await this.#findKey(context);
    if (known === null || !isSignedBy(known, context)) return;
    await this.#take(await this.#options.access.byKey(known, this.#options));
  }

  async #askSecret(context: KeyboardAuthContext): Promise<void> {
    const explanation = this.#explanation;
    this.#explanation = "";
    const prompt = "Password, API token or ticket: ";
    const [secret = ""] = await ask(context, [{ prompt, echo: false }], "", explanation);
    await this.#bySecret(secret, context);
  }

  /** A password needs the user's email address: from the login name, or by asking `context`. */
  async #bySecret(secret: string, context: KeyboardAuthContext | null): Promise<void> {
    const { access } = this.#options;
    if (this.#name === null || secret === "") return;
    const held = await access.byTicket(secret, this.#options);
    if (held !== null) {
      if (isMeant(this.#name, held)) this.#admission = { kind: "ticket", held };
      return;
    }
    const actor = await access.byToken(secret, this.#options);
    if (actor !== null) {
      if (isUser(this.#name, actor.email)) this.#actor = actor;
      return;
    }
    // INVARIANT: an API token or a ticket that does not work is never treated as a password.
    if (access.isTokenOrTicket(secret)) return;
    const email = this.#name.user ?? (context === null ? null : await askEmail(context));
    if (email !== null) await this.#take(await access.byPassword(email, secret, this.#options));
  }

  async #take(step: SignInStep): Promise<void> {
    if (step.kind === "signed-in") await this.#enter(step.actor);
    else if (step.takesCodes) this.#waiting = step.waiting;
    else throw refuse(403, "second-step.impossible", `${step.reason} ${this.#options.pages}/profile`);
  }

  async #askCode(context: KeyboardAuthContext, waiting: WaitingSignIn): Promise<void> {
    const prompt = "Code of your authenticator app, or a recovery code: ";
    const [code = ""] = await ask(context, [{ prompt, echo: true }], "Second factor", this.#explanation);
    this.#explanation = "";
    await this.#enter(await this.#options.access.bySecondStep(waiting, code, this.#options));
  }

  /** A client that has disconnected no longer needs its sign-in. */
  async #enter(actor: Actor): Promise<void> {
    this.#actor = actor;
    if (!this.#options.signal.aborted) return;
    await this.leave();
    throw new AbortedError();
  }

  async #tell(context: KeyboardAuthContext): Promise<void> {
    const text = this.#explanation;
    this.#explanation = "";
    await ask(context, [], "Strongroom", text);
  }

  /** Returns null when a question has to be asked and `context` cannot ask. */
  async #choose(actor: Actor, context: KeyboardAuthContext | null): Promise<Admission | null> {
    const { access, pages } = this.#options;
    if (this.#target === null) {
      const { usable, unusable } = await access.findTargets(actor, this.#name!);
      const [first] = usable;
      if (first === undefined) return { kind: "refused", reason: whyNone(unusable, pages) };
      if (usable.length > 1 && context === null) return null;
      this.#target = usable.length === 1 ? first : await choose(context!, usable);
    }
    const target = this.#target;
    const questions = questionsOf(target);
    if (questions.length > 0 && context === null) return null;
    const answers = questions.length === 0 ? [] : await ask(context!, questions, `Access to ${plain(target.name)}`);
    const given: Justification = {};
    for (const [index, { field }] of questions.entries()) {
      given[field] = (answers[index] ?? "").trim().slice(0, LONGEST_ANSWER);
    }
    return { kind: "account", actor, accountId: target.id, given };
  }
}

/** INVARIANT: a ticket opens the account that it was issued for, and no client that means another one uses it. */
function isMeant({ user, account, host }: LoginName, held: HeldTicket): boolean {
  const { id, name, username, host: ownHost } = held.account;
  const isAccount = [id, name].some((each) => isSame(each, account)) || username === account;
  return isAccount && (host === null || isSame(host, ownHost)) && (user === null || isSame(user, held.userEmail));
}

const isUser = ({ user }: LoginName, email: string): boolean => user === null || isSame(user, email);

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

function whyNone(unusable: readonly Target[], pages: string): string {
  const [first] = unusable;
  if (first === undefined) return `No SSH account with this name. Your accounts: ${pages}/accounts`;
  if (first.status !== "active") return `"${plain(first.name)}" is ${first.status} and cannot be used.`;
  return `You cannot use "${plain(first.name)}" now. Request access: ${pages}/accounts/${first.id}`;
}

function questionsOf(target: Target): (Prompt & { field: "reason" | "ticket" })[] {
  const hasTicket = (target.grant_ticket ?? "") !== "";
  return [
    ...(target.reason_required && target.grant_id === null
      ? [{ field: "reason" as const, prompt: "Reason: ", echo: true }]
      : []),
    ...(target.ticket_required && !hasTicket
      ? [{ field: "ticket" as const, prompt: "Ticket number: ", echo: true }]
      : []),
  ];
}

async function choose(context: KeyboardAuthContext, targets: readonly Target[]): Promise<Target> {
  const shown = targets.slice(0, MOST_CHOICES);
  const lines = shown.map(
    ({ name, username, host }, index) => `${index + 1}) ${plain(name)} (${plain(username)} on ${plain(host)})`,
  );
  const more = targets.length > shown.length ? ["More accounts match. Use the name of the account."] : [];
  for (let tries = 0; tries < 3; tries += 1) {
    const [typed = ""] = await ask(
      context,
      [{ prompt: `Account (1-${shown.length}): `, echo: true }],
      "Several accounts match.",
      [...lines, ...more].join("\n"),
    );
    const chosen = /^\d+$/.test(typed.trim()) ? shown[Number(typed) - 1] : undefined;
    if (chosen !== undefined) return chosen;
  }
  context.reject(METHODS);
  throw new AbortedError();
}

/** INVARIANT: names do not control the user's terminal. */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, " ");

/** Rejects with AbortedError when the client does not answer. */
function ask(context: KeyboardAuthContext, prompts: Prompt[], title = "", instructions = ""): Promise<string[]> {
  return new Promise((resolve, reject) => {
    context.once("abort", () => reject(new AbortedError()));
    context.prompt(
      prompts.map(({ prompt, echo }) => ({ prompt, echo: echo === true })),
      title,
      instructions,
      (answers: unknown) => {
        if (Array.isArray(answers)) resolve(answers.map(String));
        else reject(new AbortedError());
      },
    );
  });
}

async function askEmail(context: KeyboardAuthContext): Promise<string | null> {
  const [email = ""] = await ask(context, [{ prompt: "Email address: ", echo: true }]);
  return email.trim() === "" ? null : email.trim();
}

/** Wrong passwords, unknown users and users without a password get the same text. */
function explain({ code, message }: Refusal): string {
  if (code !== "sign-in.refused") return message;
  return "Wrong email address or password. Users of an identity provider have no password here: they connect with an SSH key, an API token or strongroom ssh.";
}

/** SHA-1 is too weak, so an RSA key has to sign with SHA-2 (RFC 8332). */
function isSignedBy({ blob }: KnownKey, { blob: signed, signature, hashAlgo }: PublicKeyAuthContext): boolean {
  const key = ssh2.utils.parseKey(blob);
  if (key instanceof Error || Array.isArray(key) || signed === undefined || signature === undefined) return false;
  if (key.type === "ssh-rsa" && hashAlgo !== "sha256" && hashAlgo !== "sha512") return false;
  // It returns an error for a malformed signature.
  return (key.verify(signed, signature, hashAlgo) as boolean | Error) === true;
}

interface LoginName {
  /** The email address of the Strongroom user; null when the login itself identifies the user. */
  user: string | null;
  /** The account's id, its name, or its user name on the target. */
  account: string;
  host: string | null;
}

const LONGEST = 600;

/** Null for any other form. A name that contains a `%` can be addressed by the account's id. */
function parseLoginName(text: string): LoginName | null {
  const parts = text.split("%");
  if (text.length > LONGEST || !text.isWellFormed() || text.includes("\0")) return null;
  if (parts.length > 3 || parts.some((part) => part.trim() === "")) return null;
  const [first = "", second = "", third = ""] = parts;
  if (parts.length === 1) return { user: null, account: first, host: null };
  if (parts.length === 2) return { user: null, account: first, host: second };
  return { user: first, account: second, host: third };
}
