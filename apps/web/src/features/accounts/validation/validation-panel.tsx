// Shows whether the stored password still works and since when, with a Validate button.
import { Button } from "@mantine/core";
import { IconHistory, IconShieldCheck } from "@tabler/icons-react";
import type { Account } from "@strongroom/contract";
import { ConnectorName } from "#shared/ui/connector-name.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import classes from "../detail/account-detail-page.module.css";
import { useValidate } from "./use-validate.ts";

export function ValidationPanel({ account, onHistory }: { account: Account; onHistory: () => void }) {
  const { isValidating, start } = useValidate(account);
  return (
    <SectionCard
      title="Validation"
      actions={
        <VerificationBadge status={account.last_validation_status} isHostKeyChanged={account.host_key_alarm !== null} />
      }
    >
      <Facts
        facts={[
          { name: "Last validated", value: <RelativeTime moment={account.last_validated_at} /> },
          { name: "Connector", value: <ConnectorName connector={account.connector} /> },
        ]}
      />
      {account.validation_message !== null && <p className={classes.message}>{account.validation_message}</p>}
      <div className={classes.buttons}>
        {account.my_permissions.includes("manage_secret") && (
          <Button
            variant="light"
            leftSection={<IconShieldCheck size={16} aria-hidden />}
            onClick={start}
            loading={isValidating}
          >
            Validate
          </Button>
        )}
        <Button variant="default" leftSection={<IconHistory size={16} aria-hidden />} onClick={onHistory}>
          Validation History
        </Button>
      </div>
    </SectionCard>
  );
}
