/** The plan of a self-hosted installation: nobody sells it, so it only keeps a runaway client from hurting itself. */
export const selfHostedPlan = {
  slug: 'self_hosted',
  perApiKeyPerMinute: 6000,
} as const;
