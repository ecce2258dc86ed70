// The environment of a process under test: that of this machine, but without the settings of a local Strongroom.

const OURS = /^(STRONGROOM_.*|DATABASE_URL|SMTP_URL|PORT|HOST|NODE_ENV|NODE_TEST_CONTEXT)$/;

export function ownEnvironment(given: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !OURS.test(name));
  return { ...Object.fromEntries(inherited), ...given };
}
