// "Credentials Needing Attention": the five most severe, and a link to all (CPM-06 to CPM-08, CPM-11, CPM-12).
import { Anchor } from "@mantine/core";
import { IconArrowRight, IconShieldCheck } from "@tabler/icons-react";
import { VERIFICATION_LABELS, type AttentionItem } from "@strongroom/contract";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import classes from "./cpm-dashboard-page.module.css";
import { badgeOfSeverity } from "./cpm-labels.ts";

/** CPM-06. */
const MOST_SHOWN = 5;

export interface AttentionCardProps {
  /** The most severe first. */
  items: readonly AttentionItem[];
  /** Includes credentials that are not among the items. */
  total: number;
}

export function AttentionCard({ items, total }: AttentionCardProps) {
  return (
    <SectionCard title="Credentials Needing Attention">
      {items.length === 0 ? (
        <EmptyState icon={IconShieldCheck} title="All credentials are healthy" />
      ) : (
        <ul className={classes.items} aria-label="Credentials Needing Attention">
          {items.slice(0, MOST_SHOWN).map((item) => (
            <Item key={item.id} item={item} />
          ))}
        </ul>
      )}
      {total > MOST_SHOWN && (
        <Anchor component={Link} to={paths.validationAt("accounts", "failures")} className={classes.all}>
          View all {total.toLocaleString()} alerts
          <IconArrowRight size={15} aria-hidden />
        </Anchor>
      )}
    </SectionCard>
  );
}

function Item({ item }: { item: AttentionItem }) {
  return (
    <li className={classes.item}>
      <StatusBadge status={badgeOfSeverity(item.severity)} />
      <div className={classes.itemText}>
        <Anchor
          component={Link}
          to={item.is_account ? paths.account(item.id) : paths.credential(item.id)}
          className={classes.itemName}
          c="inherit"
        >
          {item.name}
        </Anchor>
        <p className={classes.itemReason}>
          {item.status !== null && `${VERIFICATION_LABELS[item.status]}: `}
          {item.reason}
        </p>
      </div>
      <span className={classes.itemTime}>
        <RelativeTime moment={item.lastAttempt} none="Not verified yet" />
      </span>
    </li>
  );
}
