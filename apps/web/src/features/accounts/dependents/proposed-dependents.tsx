// "Found by scans": uses of the account that are not among its dependents, with a button for those that can be added.
import { Button } from "@mantine/core";
import type { Account, ProposedDependent } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { isCallError } from "#shared/api/call-error.ts";
import { asWords } from "#shared/format/text.ts";
import { paths } from "#shared/paths.ts";
import { ConfirmActionDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { canSeeProposals, dependentAddition, proposedDependents } from "./dependents.queries.ts";
import { AccountLink } from "./account-link.tsx";
import { accountOf } from "./dependent-form-values.ts";
import classes from "./dependents.module.css";

/** Renders nothing when scans found nothing, and for users who may not retrieve the password. */
export function ProposedDependents({ account }: { account: Account }) {
  const query = useQuery({ ...proposedDependents(account.id), enabled: canSeeProposals(account) });
  const [added, setAdded] = useState<ProposedDependent | null>(null);
  const isHidden = !canSeeProposals(account) || (isCallError(query.error) && query.error.status === 403);
  if (isHidden || query.data?.proposed.length === 0) return null;
  return (
    <>
      <h3 className={classes.title}>Found by Scans</h3>
      <Loaded query={query} failureText="Failed to load the uses that scans found">
        {({ proposed }) => <Proposals proposed={proposed} onAdd={setAdded} />}
      </Loaded>
      {added !== null && <AddProposedDialog account={account} proposed={added} onClose={() => setAdded(null)} />}
    </>
  );
}

interface ProposalsProps {
  proposed: readonly ProposedDependent[];
  onAdd: (proposed: ProposedDependent) => void;
}

function Proposals({ proposed, onAdd }: ProposalsProps) {
  const holding = proposed.filter((each) => each.holds_password);
  const others = proposed.filter((each) => !each.holds_password);
  return (
    <>
      {holding.length > 0 && (
        <>
          <p className={classes.hint}>These have the current secret and keep it after a rotation.</p>
          <RowList label="Found by scans">
            {holding.map((each) => (
              <ProposedRow key={keyOf(each)} proposed={each} onAdd={() => onAdd(each)} />
            ))}
          </RowList>
        </>
      )}
      {others.length > 0 && (
        <p className={classes.hint}>
          Run as this account without its password: {others.map(({ name, place }) => `${name} on ${place}`).join(", ")}.
        </p>
      )}
    </>
  );
}

const keyOf = ({ kind, name, place, detail }: ProposedDependent) => [kind, name, place, detail].join("\n");

function ProposedRow({ proposed, onAdd }: { proposed: ProposedDependent; onAdd: () => void }) {
  const { kind, name, place, detail, config, obstacle, finding_id: findingId } = proposed;
  return (
    <Row
      name={
        <>
          <StatusBadge status="pending" label={asWords(kind)} />
          {name}
        </>
      }
      actions={
        config !== null && (
          <Button size="compact-sm" variant="default" aria-label={`Add ${name}`} onClick={onAdd}>
            Add
          </Button>
        )
      }
    >
      <RowDetail>
        {place}
        {detail !== null && ` · ${detail}`}
        {findingId !== null && (
          <>
            {" · "}
            <Link to={paths.discoveryAt("findings")}>Findings</Link>
          </>
        )}
      </RowDetail>
      {obstacle !== null && <RowDetail>{obstacle}</RowDetail>}
    </Row>
  );
}

interface AddProps {
  account: Account;
  proposed: ProposedDependent;
  onClose: () => void;
}

function AddProposedDialog({ account, proposed: { name, place, config }, onClose }: AddProps) {
  const client = useQueryClient();
  if (config === null) return null;
  const through = accountOf({ config });
  return (
    <ConfirmActionDialog
      opened
      variant="info"
      title="Add Dependent"
      confirmLabel="Add"
      mutation={dependentAddition(client, account.id, { name: `${name.slice(-70)} on ${place}`.slice(0, 100), config })}
      done="Dependent added"
      failed="Failed to add the dependent"
      onClose={onClose}
    >
      {config.kind === "authorized-key" ? (
        <p>
          After each rotation, the new key of <strong>{account.name}</strong> takes the old one's place in the
          authorized keys of <strong>{name}</strong> on {place}. The old key is removed once the new one has logged in
          there.
        </p>
      ) : config.kind === "account" ? (
        <p>
          <strong>{name}</strong> stores the same login. The new password of <strong>{account.name}</strong> will be
          stored there too after each rotation, and verified.
        </p>
      ) : (
        <p>
          After each rotation, the password of <strong>{account.name}</strong> is replaced in <strong>{name}</strong> on{" "}
          {place}
          {through !== null && (
            <>
              , through the account <AccountLink id={through} />
            </>
          )}
          . The rest of the file stays as it is.
        </p>
      )}
    </ConfirmActionDialog>
  );
}
