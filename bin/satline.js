#!/usr/bin/env node
import '../dist/cli/satline.js';
