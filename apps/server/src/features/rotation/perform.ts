// Does what is on record outside of the database: opens the secrets, asks the target, and says what came of it.
import { EnvelopeError, KekError, SealedError } from "@strongroom/keys";
import type { Secret } from "@strongroom/keys";
import type { ChangeResult, Failure, IssueResult, Login as Reconciling, VerifyContext } from "@strongroom/connectors";
import { openEnvelope } from "#features/credentials/index.ts";
import { loginTargetOf, resultOf } from "#features/verification/index.ts";
import type { Errand } from "./advance.ts";
import type { Made, Stored } from "./make-candidate.ts";
import { holdBack } from "./hold-back.ts";
import { targetFor } from "./reach.policy.ts";
import type { AttentionCode, Happening, Says } from "./rotation.policy.ts";
import type { Site } from "./site.ts";
import type { Done } from "./turn.ts";

const TIMEOUT_MS = 20_000;

export interface Performed {
  done: Done[];
  made: Made | null;
}

/** Always an answer, whatever goes wrong: what cannot be known is said to be unknown. */
export async function perform(site: Site, errand: Errand, signal: AbortSignal): Promise<Performed> {
  const { clock, log } = site.kernel;
  const startedAt = clock.now();
  const context = { timeoutMs: TIMEOUT_MS, signal, network: site.network, now: () => clock.now() };
  try {
    return await doErrand(site, errand, context, startedAt);
  } catch (error) {
    log.error(
      { err: error, credential: errand.credential.id, act: errand.do },
      "a step of a rotation could not be done",
    );
    return { done: [failed(errand, error, clock.now())], made: null };
  }
}

async function doErrand(site: Site, errand: Errand, context: VerifyContext, startedAt: Date): Promise<Performed> {
  const { connector, credential } = errand;
  const target = loginTargetOf(credential);
  const now = () => site.kernel.clock.now();
  const told = (happening: Happening, said: string | null): Performed => ({
    done: [{ happening, said, at: now(), login: null }],
    made: null,
  });
  switch (errand.do) {
    case "send": {
      using candidate = await open(site, errand, errand.candidate);
      if (errand.by === "account") {
        using current = await open(site, errand, errand.current);
        const result = await connector.change!(target, current, candidate, context);
        return { done: [sent(result, errand, startedAt, now())], made: null };
      }
      using secret = await openReconciler(site, errand.reconciler);
      const by: Reconciling = { username: errand.reconciler.username, secret };
      const result = await connector.reconcile!(targetFor(credential, errand.reconciler.reach), by, candidate, context);
      if (result.outcome === "unsent")
        await holdBack(site, errand.reconciler, { ...result.failure, durationMs: result.durationMs });
      return {
        done: [sent(result, errand, startedAt, now())],
        made: null,
      };
    }
    case "probe": {
      using secret = await open(site, errand, errand.secret);
      const result = resultOf(await connector.verify(target, secret, context));
      const { version } = errand.secret;
      const happening: Happening = { kind: "probed", version, says: saysOf(result) };
      const said = happening.says === "unclear" ? result.message : null;
      return { done: [{ happening, said, at: now(), login: { version, result, startedAt } }], made: null };
    }
    case "retire": {
      using current = await open(site, errand, errand.current);
      using retired = await open(site, errand, errand.retired);
      const result = await connector.retire!(target, current, retired, context);
      if (result.outcome === "changed") return told({ kind: "retired" }, result.message);
      const mayPass =
        result.outcome === "unknown" || (result.outcome === "unsent" && result.failure.outcome === "unreachable");
      return told({ kind: "not-retired", mayPass }, result.message);
    }
    case "make-key": {
      using current = await open(site, errand, errand.current);
      const secret = await connector.newSecret!(current);
      if (secret !== null) return { done: [], made: { secret } };
      return told(
        { kind: "gave-up", code: "misconfigured" },
        "The stored secret looks like a private key, and is none.",
      );
    }
    case "issue": {
      using current = await open(site, errand, errand.current);
      const result = await connector.issue!(target, current, context);
      return result.outcome === "issued" ? { done: [], made: result } : told(unissued(result), result.message);
    }
  }
}

function open({ kernel }: Site, { credential }: Errand, { version, envelope }: Stored): Promise<Secret> {
  const { id, user_id, safe_id } = credential;
  return openEnvelope(kernel, { id, user_id, safe_id, version, envelope });
}

const openReconciler = (
  { kernel }: Site,
  { id, safe_id, version, envelope }: { id: string; safe_id: string; version: number; envelope: Buffer },
): Promise<Secret> => openEnvelope(kernel, { id, user_id: null, safe_id, version, envelope });

/** What a login says of the secret it was made with. Only a clear answer counts. */
function saysOf({ outcome, code }: { outcome: string; code: string | null }): Says {
  if (outcome === "verified") return "live";
  if (outcome !== "rejected") return "unclear";
  // The connectors say these only after the right password.
  if (code === "must-change" || code === "password-expired") return "live";
  return code === "wrong-password" ? "dead" : "unclear";
}

function sent(result: ChangeResult, errand: Extract<Errand, { do: "send" }>, startedAt: Date, at: Date): Done {
  const { outcome, message: said } = result;
  switch (outcome) {
    case "changed":
      return { happening: { kind: "changed" }, said, at, login: null };
    case "refused":
      return { happening: { kind: "refused", code: result.code }, said, at, login: null };
    case "unknown":
      return { happening: { kind: "unknown" }, said, at, login: null };
    case "unsent": {
      const happening = unsent(result.failure, errand.by);
      // What the login as the account itself learnt is known of its secret too.
      const isTold = errand.by === "account" && result.failure.outcome === "rejected";
      const login = isTold
        ? {
            version: errand.current.version,
            result: resultOf({ ...result.failure, durationMs: result.durationMs }),
            startedAt,
          }
        : null;
      return { happening, said, at, login };
    }
  }
}

function unsent(failure: Failure, by: "account" | "reconcile-account"): Happening {
  if (failure.outcome === "unreachable") return { kind: "unsent", why: "unreachable" };
  if (failure.outcome !== "rejected") return { kind: "unsent", why: "misconfigured" };
  if (by === "reconcile-account" || failure.code === "wrong-password") return { kind: "unsent", why: "refused" };
  // The password is right, and the login may not change it: somebody else may.
  if (failure.code === "must-change" || failure.code === "password-expired") {
    return { kind: "refused", code: "not-changeable" };
  }
  return { kind: "unsent", why: "misconfigured" };
}

function unissued(result: Exclude<IssueResult, { outcome: "issued" }>): Happening {
  const stop = (code: AttentionCode): Happening => ({ kind: "gave-up", code });
  if (result.outcome === "refused") return stop("refused");
  if (result.outcome === "unknown" || result.failure.outcome === "unreachable") return { kind: "unmade" };
  return stop(result.failure.outcome === "rejected" ? "old-refused" : "misconfigured");
}

/** A secret that does not open, or a bug of a connector; that one is in the log. */
function failed(errand: Errand, error: unknown, at: Date): Done {
  const isUnopened = error instanceof EnvelopeError || error instanceof KekError || error instanceof SealedError;
  const said = isUnopened
    ? error instanceof SealedError
      ? "The vault was sealed."
      : "A stored secret cannot be read. An administrator has to look at it."
    : "It failed on our side.";
  return { ...afterFailure(errand, error, isUnopened), said, at };
}

function afterFailure(errand: Errand, error: unknown, isUnopened: boolean): Pick<Done, "happening" | "login"> {
  const isPassing = error instanceof SealedError;
  switch (errand.do) {
    case "send":
      if (!isUnopened) return { happening: { kind: "unknown" }, login: null };
      return { happening: { kind: "unsent", why: isPassing ? "unreachable" : "misconfigured" }, login: null };
    case "probe":
      return { happening: { kind: "probed", version: errand.secret.version, says: "unclear" }, login: null };
    case "retire":
      return { happening: { kind: "not-retired", mayPass: isPassing }, login: null };
    case "make-key":
    case "issue":
      if (isUnopened && !isPassing) return { happening: { kind: "gave-up", code: "misconfigured" }, login: null };
      return { happening: { kind: "unmade" }, login: null };
  }
}
