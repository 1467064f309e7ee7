import { activateSession } from './activate-session.ts';
import { createSession } from './create-session.ts';

export const sessionOperations = [createSession, activateSession];
