// "Test Login": logs in to the target with the values of the form, before the account is stored.
import { Button } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { testAccountLogin, type ReplyOf } from "@strongroom/contract";
import { useEffect, useRef, useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { call } from "#shared/api/call.ts";
import { useIsHere } from "#shared/ui/use-is-here.ts";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { newPayloadOf, type AccountFormControl, type AccountFormValues } from "./account-form-values.ts";
import classes from "./account-form.module.css";

type Tested = ReplyOf<typeof testAccountLogin> | { refusal: string };

export interface LoginTestProps {
  form: AccountFormControl;
  /** Shows the first error of the form. Returns whether there is none. */
  isComplete: () => boolean;
}

/** The fields that do not change the login. */
const OTHER: readonly (keyof AccountFormValues)[] = ["name", "notes", "tags", "status"];

const loginOf = (values: AccountFormValues): string =>
  JSON.stringify(Object.entries(values).filter(([name]) => !OTHER.includes(name as keyof AccountFormValues)));

/** INVARIANT: neither a query nor a mutation, because both keep the password that is sent. */
export function LoginTest({ form, isComplete }: LoginTestProps) {
  const [isTesting, setIsTesting] = useState(false);
  const [tested, setTested] = useState<{ login: string; result: Tested } | null>(null);
  const isHere = useIsHere();
  const login = loginOf(form.values);
  // An edit of the login makes the result say nothing about it.
  const result = tested?.login === login ? tested.result : null;

  const resultRef = useRef<HTMLDivElement>(null);
  // The buttons of the dialog would cover it.
  useEffect(() => {
    if (tested !== null) resultRef.current?.scrollIntoView({ block: "nearest" });
  }, [tested]);

  async function test(): Promise<void> {
    if (!isComplete()) return;
    setIsTesting(true);
    const answer = await call(testAccountLogin, { body: newPayloadOf(form.values) }).catch(
      (error: unknown): Tested => ({ refusal: messageOf(error) }),
    );
    if (!isHere()) return;
    setIsTesting(false);
    setTested({ login, result: answer });
  }

  return (
    <div className={classes.test}>
      <Button
        variant="default"
        leftSection={<IconPlugConnected size={16} aria-hidden />}
        onClick={() => void test()}
        loading={isTesting}
        disabled={form.submitting}
      >
        Test Login
      </Button>
      <div ref={resultRef} role="status" className={classes.tested}>
        {result !== null && <Shown result={result} />}
      </div>
    </div>
  );
}

function Shown({ result }: { result: Tested }) {
  if ("refusal" in result) return <Tag tone="warning">{result.refusal}</Tag>;
  if (result.outcome === "unsupported") return <>Strongroom cannot log in to this kind of system.</>;
  return (
    <>
      <VerificationBadge status={result.outcome} />
      <span>{result.message}</span>
      {result.host_key !== null && <span className={classes.hostKey}>Host key {result.host_key}</span>}
    </>
  );
}
