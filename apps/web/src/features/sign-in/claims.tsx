// The side panel of the sign-in page: product claims (AUTH-06), and testimonials that are marked as samples.
import { IconActivityHeartbeat, IconKey, IconShieldLock, type Icon } from "@tabler/icons-react";
import classes from "./claims.module.css";

interface Testimonial {
  avatarSrc: string;
  name: string;
  handle: string;
  text: string;
}

const testimonials: readonly Testimonial[] = [
  {
    avatarSrc: "/sample-avatar-1.svg",
    name: "Sample administrator",
    handle: "@sample-admin",
    text: "Sample: I know which passwords still work before anyone needs one at night.",
  },
  {
    avatarSrc: "/sample-avatar-2.svg",
    name: "Sample auditor",
    handle: "@sample-auditor",
    text: "Sample: I verify the audit trail with just the public key.",
  },
  {
    avatarSrc: "/sample-avatar-3.svg",
    name: "Sample operator",
    handle: "@sample-operator",
    text: "Sample: Copying a password takes one click, and it is recorded automatically.",
  },
];

const CLAIMS: readonly { title: string; text: string; icon: Icon }[] = [
  {
    title: "Zero-trust architecture",
    text: "Every call is authorised on its own. No network, address or earlier decision is trusted.",
    icon: IconShieldLock,
  },
  {
    title: "Encryption at rest and in transit",
    text: "Each secret is encrypted with its own key and decrypted only for authorised, recorded use. HTTPS protects it on the way to you.",
    icon: IconKey,
  },
  {
    title: "Real-time monitoring",
    text: "Every sign-in, reveal and change is recorded before the response is sent, and appears live.",
    icon: IconActivityHeartbeat,
  },
];

export function Claims() {
  return (
    <>
      <ul className={classes.claims}>
        {CLAIMS.map(({ title, text, icon: ClaimIcon }) => (
          <li key={title} className={classes.claim}>
            <ClaimIcon size={24} stroke={1.5} aria-hidden />
            <div>
              <h2>{title}</h2>
              <p>{text}</p>
            </div>
          </li>
        ))}
      </ul>
      <section aria-label="Sample testimonials">
        <p className={classes.sampleNote}>Illustrative samples, not real customers</p>
        <div className={classes.cards}>
          {testimonials.map(({ avatarSrc, name, handle, text }) => (
            <figure key={handle} className={classes.card}>
              <blockquote>{text}</blockquote>
              <figcaption>
                <img src={avatarSrc} alt="" width={32} height={32} />
                <span>
                  <strong>{name}</strong>
                  <span>{handle}</span>
                </span>
              </figcaption>
            </figure>
          ))}
        </div>
      </section>
    </>
  );
}
