import { bubblewrap } from '../bubblewrap.ts';
import { declareGitHistory } from '../../../../../test/declare-git-history.ts';

declareGitHistory(() => bubblewrap({ egress: 'none' }));
