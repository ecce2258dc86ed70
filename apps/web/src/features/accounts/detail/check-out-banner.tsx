// Shows who has checked out the account, with a check-in button, and when the caller's grant ends.
import { Alert, Button } from "@mantine/core";
import { IconClock, IconLock } from "@tabler/icons-react";
import type { Account } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useNow } from "#shared/format/now.ts";
import { nearTime } from "#shared/format/time.ts";
import { toast } from "#shared/ui/toast.ts";
import classes from "./account-detail-page.module.css";
import { checkIn } from "../accounts.queries.ts";

export function CheckOutBanner({ account }: { account: Account }) {
  const now = useNow();
  const { check_out: checkOut, my_grant: grant } = account;
  if (checkOut !== null) return <CheckedOut account={account} checkOut={checkOut} />;
  if (grant === null) return null;
  return (
    <Alert className={classes.banner} color="petrol" variant="light" icon={<IconClock aria-hidden />}>
      You have access until {nearTime(grant.ends_at, now)}.
    </Alert>
  );
}

interface CheckedOutProps {
  account: Account;
  checkOut: NonNullable<Account["check_out"]>;
}

function CheckedOut({ account, checkOut }: CheckedOutProps) {
  const now = useNow();
  const { mutate, isPending } = useMutation(checkIn(useQueryClient(), account.id));
  const giveBack = () =>
    mutate(undefined, {
      onSuccess: () => toast.success(`Account "${account.name}" checked in`),
      onError: (error) => toast.error(messageOf(error), { title: "Failed to check in" }),
    });
  const mayGiveBack = checkOut.is_own || account.my_permissions.includes("manage_safe");
  return (
    <Alert
      className={classes.banner}
      color={checkOut.is_own ? "petrol" : "brass"}
      variant="light"
      icon={<IconLock aria-hidden />}
    >
      <div className={classes.bannerBody}>
        <span>
          Checked out by {checkOut.is_own ? "you" : <strong>{checkOut.name}</strong>} until{" "}
          {nearTime(checkOut.until, now)}.
        </span>
        {mayGiveBack && (
          <Button size="compact-sm" variant="default" onClick={giveBack} loading={isPending}>
            Check In
          </Button>
        )}
      </div>
    </Alert>
  );
}
