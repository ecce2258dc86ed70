// Why an account is privileged, and the keys and passwords that open it: a part of the account's details.
import { Button } from "@mantine/core";
import { IconRoute } from "@tabler/icons-react";
import type { DiscoveredAccount, ReplyOf, readAccountPrivileges } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { counted } from "#shared/format/text.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import classes from "./privileges.module.css";
import { privilegesOf } from "./privileges.queries.ts";
import { ReachDialog } from "./reach-dialog.tsx";

export function PrivilegeSection({ account }: { account: DiscoveredAccount }) {
  const query = useQuery(privilegesOf(account.id));
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <h3 className={classes.heading}>Privileges</h3>
      <Loaded query={query}>{(known) => <Privileges known={known} />}</Loaded>
      <div className={classes.actions}>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconRoute size={15} aria-hidden />}
          onClick={() => setIsOpen(true)}
        >
          Show Paths
        </Button>
      </div>
      <ReachDialog
        start={{ account: account.id }}
        name={account.account_name}
        opened={isOpen}
        onClose={() => setIsOpen(false)}
      />
    </>
  );
}

function Privileges({ known }: { known: ReplyOf<typeof readAccountPrivileges> }) {
  const { explanation, privileges, opened_by, holds, managed_by } = known;
  return (
    <>
      <p className={classes.explanation}>{explanation}</p>
      {privileges.length > 0 && (
        <ul className={classes.list} aria-label="Privileges">
          {privileges.map((each, index) => (
            // The list does not change while it is shown.
            <li key={index}>
              {each.level === "full" ? <Tag tone="danger">Full control</Tag> : <Tag tone="warning">Limited</Tag>}{" "}
              {each.explanation}
            </li>
          ))}
        </ul>
      )}
      {opened_by.length > 0 && (
        <>
          <h3 className={classes.heading}>Keys That Open the Account</h3>
          <ul className={classes.list} aria-label="Keys that open the account">
            {opened_by.map((key) => (
              <li key={`${key.fingerprint} ${key.place}`}>
                {`${key.comment ?? key.fingerprint} (${key.type ?? "key"}), ${key.place}`}
                {key.options.length > 0 && `, limited by ${key.options.join(", ")}`}
                {`. It opens ${counted(key.opens, "account")}.`}
                {key.holders.length > 0 &&
                  ` The private key is readable by ${key.holders.map(({ account_name: name, hostname }) => `${name ?? "every account"} on ${hostname}`).join(", ")}.`}
              </li>
            ))}
          </ul>
        </>
      )}
      {holds.length > 0 && (
        <>
          <h3 className={classes.heading}>Private keys that the account can read</h3>
          <ul className={classes.list} aria-label="Private keys that the account can read">
            {holds.map((key) => (
              <li key={key.place}>
                {`${key.place}, ${key.is_encrypted ? "with a passphrase" : "without a passphrase"}. It opens ${counted(key.opens, "account")}.`}
              </li>
            ))}
          </ul>
        </>
      )}
      {managed_by.length > 0 && (
        <p className={classes.hint}>{`In the safe ${managed_by.map(({ safe_name }) => safe_name).join(", ")}.`}</p>
      )}
    </>
  );
}
