import { expect, test } from 'vitest';
import { startJob } from '../../src/jobs/job.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { Pace } from '../../src/kernel/pace.ts';

const anHour = 3600 * 1000;

test('rounds follow each other at once or after a wake, go on after a failure, and end with the job', async () => {
  const pace = new Pace();
  const story: string[] = [];
  const answers = [0, undefined, 'failure', 0, undefined] as const;
  let allTold = () => {};
  const told = new Promise<void>((resolve) => {
    allTold = resolve;
  });
  const job = startJob(silentLog, {
    name: 'a job',
    pauseMillis: anHour,
    pace,
    async round(signal) {
      const answer = answers[story.length];
      story.push(signal.aborted ? 'late' : 'round');
      if (story.length === answers.length) allTold();
      // What comes while a round is under way wakes the loop after it.
      else if (answer !== 0) pace.wake();
      if (answer === 'failure') throw new Error('no');
      return answer;
    },
    end: async () => void story.push('end'),
  });
  await told;
  await job.stop();
  expect(story).toEqual([...Array(5).fill('round'), 'end']);
});

test('one that begins with a pause and is stopped meanwhile does no round', async () => {
  let rounds = 0;
  const job = startJob(silentLog, {
    name: 'a job',
    pauseMillis: anHour,
    pausesFirst: true,
    async round() {
      rounds += 1;
      return undefined;
    },
  });
  await job.stop();
  expect(rounds).toBe(0);
});
