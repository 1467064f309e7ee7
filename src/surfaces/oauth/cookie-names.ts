/** Of the authorization server; the person's sign-in has a cookie of its own. */
export const sessionCookie = 'satline_oauth_session';
export const interactionCookie = 'satline_oauth_interaction';
export const resumeCookie = 'satline_oauth_resume';
