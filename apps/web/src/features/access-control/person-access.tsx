// One person's current access: the safes they can reach, why they can reach each safe, and the accounts in it.
import { Button, Collapse } from "@mantine/core";
import { IconArrowLeft, IconLockOff } from "@tabler/icons-react";
import type { PersonSafe, ReplyOf, readAccessPerson } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Suspense, useId, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { paths } from "#shared/paths.ts";
import { searchOf } from "#shared/format/address.ts";
import { useNow } from "#shared/format/now.ts";
import { counted } from "#shared/format/text.ts";
import { nearTime } from "#shared/format/time.ts";
import { useUser } from "#shared/session/session-store.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { DisclosureButton } from "#shared/ui/disclosure-button.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import type { PersonDialog } from "#shared/ui/person-dialog.ts";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { ROLE_LABELS, permissionList, accessPathLabel, accessSummary, permissionSummary } from "./access-labels.ts";
import { accountsOfPerson, person, safesOfPerson } from "./access-control.queries.ts";
import classes from "./access-control.module.css";

export interface PersonAccessProps {
  id: string;
  TokensDialog: PersonDialog;
}

export function PersonAccess({ id, TokensDialog }: PersonAccessProps) {
  const detail = useQuery(person(id));
  return (
    <>
      <Link className={classes.back} to={paths.accessControl}>
        <IconArrowLeft size={14} aria-hidden /> All people
      </Link>
      <Loaded query={detail} failureText="Failed to load this person">
        {(shown) => (
          <>
            <Summary person={shown} TokensDialog={TokensDialog} />
            <SafesOfPerson id={id} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface SummaryProps {
  person: ReplyOf<typeof readAccessPerson>;
  TokensDialog: PersonDialog;
}

function Summary({ person: shown, TokensDialog }: SummaryProps) {
  const groups = shown.in_groups.map(({ name, may_break_glass }) =>
    may_break_glass ? `${name} (emergency access)` : name,
  );
  const isAdmin = useUser().role === "admin";
  const [seesTokens, setSeesTokens] = useState(false);
  return (
    <SectionCard
      title={shown.name}
      description={shown.email}
      actions={
        isAdmin && (
          <Button variant="default" size="compact-md" onClick={() => setSeesTokens(true)}>
            API Tokens
          </Button>
        )
      }
    >
      {shown.status === "disabled" && (
        <p className={classes.lead}>
          <Tag tone="warning">Disabled</Tag> No access until an administrator enables the user again.
        </p>
      )}
      <Facts
        facts={[
          { name: "Role", value: ROLE_LABELS[shown.role] },
          { name: "Safes", value: shown.safes.toLocaleString() },
          { name: "Can use now", value: counted(shown.accounts_usable, "account") },
          { name: "Can retrieve now", value: counted(shown.accounts_retrievable, "account") },
          { name: "Active access", value: counted(shown.grants, "account") },
          { name: "Groups", value: groups.length === 0 ? "None" : groups.join(", ") },
        ]}
      />
      <Suspense fallback={null}>
        {seesTokens && (
          <TokensDialog person={{ id: shown.user_id, name: shown.name }} onClose={() => setSeesTokens(false)} />
        )}
      </Suspense>
    </SectionCard>
  );
}

function SafesOfPerson({ id }: { id: string }) {
  const [params] = useSearchParams();
  const search = searchOf(params);
  const list = useInfiniteQuery({ ...safesOfPerson(id, search), placeholderData: keepPreviousData });
  return (
    <div className={classes.below}>
      <SectionCard
        title="Effective Access"
        description="Safes where they have permissions now, and why."
        actions={<AddressSearch label="Search their safes" placeholder="Search safes by name" />}
      >
        <Loaded query={list}>
          {({ pages }) => {
            const safes = pages.flatMap((page) => page.safes);
            if (safes.length === 0) {
              return search === undefined ? (
                <EmptyState icon={IconLockOff} title="No access" text="They have no permissions in any safe." />
              ) : (
                <EmptyState icon={IconLockOff} title="No safes found" text="No safes match your search." />
              );
            }
            return (
              <>
                <ul className={classes.rows} aria-label="Safes">
                  {safes.map((safe) => (
                    <SafeRow key={safe.safe_id} personId={id} safe={safe} />
                  ))}
                </ul>
                <LoadMore of={list} />
              </>
            );
          }}
        </Loaded>
      </SectionCard>
    </div>
  );
}

function SafeRow({ personId, safe }: { personId: string; safe: PersonSafe }) {
  const now = useNow();
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  return (
    <li className={classes.row}>
      <div className={classes.rowHead}>
        <div className={classes.grow}>
          <Link className={classes.nameLink} to={paths.safe(safe.safe_id, "access")}>
            {safe.name}
          </Link>
          <p className={classes.hint}>{accessSummary(safe)}</p>
        </div>
        <div className={classes.tags}>
          {safe.status !== "active" && <Tag tone="warning">{safe.status}</Tag>}
          {safe.grants > 0 && <Tag tone="info">Active access to {counted(safe.grants, "account")}</Tag>}
          <Tag title={permissionList(safe.permissions)}>{permissionSummary(safe.permissions)}</Tag>
        </div>
      </div>
      <ul className={classes.paths} aria-label={`Sources of access in ${safe.name}`}>
        {safe.paths.map((path, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- two paths may read alike
          <li key={at} className={classes.path}>
            <strong>{accessPathLabel(path)}</strong>{" "}
            <span title={permissionList(path.permissions)}>{permissionSummary(path.permissions)}</span>
            {path.expires_at !== null && `, until ${nearTime(path.expires_at, now)}`}
          </li>
        ))}
      </ul>
      {safe.accounts > 0 && (
        <>
          <DisclosureButton
            label="Accounts"
            name={`Accounts in ${safe.name}`}
            isOpen={isOpen}
            onChange={setIsOpen}
            controls={id}
          />
          <Collapse expanded={isOpen} id={id}>
            {isOpen && <AccountsOfPerson personId={personId} safe={safe} />}
          </Collapse>
        </>
      )}
    </li>
  );
}

function AccountsOfPerson({ personId, safe }: { personId: string; safe: PersonSafe }) {
  const now = useNow();
  const list = useInfiniteQuery(accountsOfPerson(personId, safe.safe_id));
  return (
    <Loaded query={list}>
      {({ pages }) => (
        <>
          <ul className={classes.inner} aria-label={`Accounts in ${safe.name}`}>
            {pages
              .flatMap((page) => page.accounts)
              .map((account) => (
                <li key={account.account_id} className={classes.innerRow}>
                  <div className={classes.grow}>
                    <span>{account.name}</span>
                    <p className={classes.hint}>
                      {account.username} · {account.hostname}
                    </p>
                  </div>
                  <div className={classes.tags}>
                    {account.status !== "active" && <Tag tone="warning">{account.status}</Tag>}
                    {account.needs_approval && <Tag tone="warning">Approval required</Tag>}
                    {account.granted_until !== null && (
                      <Tag tone="info">Access until {nearTime(account.granted_until, now)}</Tag>
                    )}
                    <Tag title={permissionList(account.permissions)}>{permissionSummary(account.permissions)}</Tag>
                  </div>
                </li>
              ))}
          </ul>
          <LoadMore of={list} />
        </>
      )}
    </Loaded>
  );
}
