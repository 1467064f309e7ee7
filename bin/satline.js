#!/usr/bin/env node
import '../dist/bundle/satline.js';
