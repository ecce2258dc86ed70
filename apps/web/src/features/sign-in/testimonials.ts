// Three sample testimonials (AUTH-12, AUTH-13), whose names show that they quote no real person.

export interface Testimonial {
  avatarSrc: string;
  name: string;
  handle: string;
  text: string;
}

export const testimonials: readonly Testimonial[] = [
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
