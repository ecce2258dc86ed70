// One identity provider: its address, its users and its role mappings.
import { IconBuilding, IconPencil, IconPlugConnected, IconTrash, IconWorldShare } from "@tabler/icons-react";
import type { IdentityProvider } from "@strongroom/contract";
import { CardButton, CardSign, CardSigns, ItemCard } from "#shared/ui/item-card.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import classes from "./identity-providers.module.css";
import { KIND_LABELS, otherwiseOf, placeOf, rolesOf } from "./provider-form-values.ts";

export type ProviderDialog = "test" | "edit" | "delete";

export interface ProviderCardProps {
  provider: IdentityProvider;
  onOpen: (dialog: ProviderDialog, provider: IdentityProvider) => void;
}

export function ProviderCard({ provider, onOpen }: ProviderCardProps) {
  const { kind, name, is_enabled: isEnabled, creates_people: createsPeople, redirect_uri: redirectUri } = provider;
  const KindIcon = kind === "oidc" ? IconWorldShare : IconBuilding;
  return (
    <ItemCard
      icon={<KindIcon size={20} stroke={1.6} aria-hidden />}
      title={name}
      subtitle={KIND_LABELS[kind]}
      badges={<StatusBadge status={isEnabled ? "active" : "inactive"} label={isEnabled ? "Enabled" : "Disabled"} />}
      facts={[
        { name: "Address", value: placeOf(provider), title: placeOf(provider) },
        { name: "Users", value: provider.people.toLocaleString() },
        {
          name: "New users",
          value: createsPeople ? "Created" : "Not created",
          title: createsPeople ? "Created automatically when they first sign in" : "Only existing users can sign in",
        },
        { name: "Roles", value: rolesOf(provider), title: otherwiseOf(provider) },
      ]}
      note={
        redirectUri !== null && (
          <p className={classes.redirect}>
            Redirect URI: <span>{redirectUri}</span>
            <br />
            Post-logout redirect URI: <span>{provider.post_logout_redirect_uri}</span>
          </p>
        )
      }
      actions={
        <>
          <CardButton
            label="Test"
            name={`Test ${name}`}
            icon={IconPlugConnected}
            onClick={() => onOpen("test", provider)}
            isPrimary
          />
          <CardSigns>
            <CardSign label="Edit" icon={IconPencil} onClick={() => onOpen("edit", provider)} />
            <CardSign label="Delete" icon={IconTrash} onClick={() => onOpen("delete", provider)} />
          </CardSigns>
        </>
      }
    />
  );
}
