import { advanceTestClock } from './advance-test-clock.ts';

export const testClockOperations = [advanceTestClock];
